// The earth's size, as maps and drawings need it.

/** Metres in a degree of latitude. */
export const METRES_A_DEGREE = 111_195;
