"""From a question to an answer: ask, draw, judge, remark."""
