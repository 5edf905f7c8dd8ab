// The way to the console: questions and changes by request, live news by a connection that comes back by itself.

/** An answer that is no success, with what the console says of it. */
export class Refused extends Error {
  constructor(said) {
    super(said.error ?? "The console did not answer.");
    this.line = said.line;
    this.column = said.column;
  }
}

async function answer(response) {
  if (response.status === 401) location.assign("/login");
  const said = await response.json().catch(() => ({ error: `The console answered ${response.status}.` }));
  if (!response.ok) throw new Refused(said);
  return said;
}

/** Send a GET request to the console. */
export async function request(path, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const query = new URLSearchParams(given);
  return answer(await fetch(`/api/${path}?${query}`).catch(() => Response.error()));
}

/** Send a POST request with a JSON body to the console. */
export async function post(path, what) {
  const body = JSON.stringify(what);
  const headers = { "content-type": "application/json" };
  return answer(await fetch(`/api/${path}`, { method: "POST", headers, body }).catch(() => Response.error()));
}

const SILENT = 10_000; // milliseconds without a word, of which the console says one every two seconds

/** Live news; when the connection is lost it is tried again, at first soon, then each five seconds. */
export class Link {
  constructor({ bytes, news, state }) {
    this.bytes = bytes;
    this.news = news;
    this.state = state;
    this.filter = { query: "", kind: "", stream: "" };
    this.wait = 250;
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = (this.socket = new WebSocket(`${scheme}://${location.host}/live`));
    let heard = Date.now();
    // A lost network sends no event: after a long silence the connection counts as lost.
    const watch = setInterval(() => Date.now() - heard > SILENT && lost(), 1000);
    const lost = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      clearInterval(watch);
      socket.onmessage = socket.onclose = null;
      socket.close();
      this.state(false);
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(this.wait * 2, 5000);
    };
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.wait = 250;
      this.state(true);
      this.listen(this.filter);
    };
    socket.onmessage = ({ data }) => {
      heard = Date.now();
      if (typeof data === "string") this.news(JSON.parse(data));
      else this.bytes(data);
    };
    socket.onclose = lost;
  }

  /** Say which events are wanted. */
  listen(filter) {
    this.filter = filter;
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ filter }));
  }
}
