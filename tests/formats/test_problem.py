from limen.formats import Problem


def test_a_line_is_named_as_editors_like_it():
    assert Problem(3, "no").within("folder/a.jsonl") == "folder/a.jsonl:3: no"


def test_a_feature_is_named_by_number_and_id():
    problem = Problem(None, "no", "feature 17 (LocationID 56)")
    assert problem.within("zones.geojson") == "zones.geojson: feature 17 (LocationID 56): no"
