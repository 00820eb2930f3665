#!/usr/bin/env python3
"""Writes the files of sample_data/ anew, the same bytes every time.

    make_samples.py OUT_FOLDER

The texts are our own and in the public domain (CC0). The four quadrant sets
have lengths at equal steps of a log-normal distribution, in a seeded order, so
that their spread (sigma/mu) and tail (P99) lie well inside one corner of the
two-factor matrix each.
"""
import json
import math
import pathlib
import random
import statistics
import sys

SFT = [
    ("You are a patient cooking teacher.", "Why does bread dough have to rest?",
     "Resting lets the flour soak up water and the gluten relax. The dough then stretches without tearing, and the yeast has time to make gas and flavour."),
    (None, "Give me a one-line definition of a prime number.",
     "A prime is a whole number above one that only one and itself divide."),
    ("Answer in two sentences.", "What is the difference between weather and climate?",
     "Weather is what the air does today. Climate is what it usually does over decades."),
    (None, "Write a haiku about a lighthouse.",
     "Salt on the cold glass\none slow beam combs the dark sea\na gull waits for dawn"),
    (None, "How do I undo my last git commit but keep the changes?",
     "Run `git reset --soft HEAD~1`. The commit disappears from the branch, and its changes stay staged."),
    ("You translate to French.", "Good morning, where is the station?",
     "Bonjour, où est la gare ?"),
    (None, "Name three things to check before a long bicycle ride.",
     "Check the tyre pressure, the brakes, and the chain. Then pack a spare tube, a pump and enough water."),
    (None, "Explain what an index does in a database, for a beginner.",
     "An index is like the register at the back of a book. Without it the database reads every page to find a word; with it, it jumps straight to the right one. The price is a little extra space, and a little extra work whenever a row is written."),
    ("You are terse.", "Is zero even?", "Yes."),
    (None, "Summarise: The meeting moved from Tuesday to Thursday because two people were ill. The agenda stays the same, and the room changes to the small hall.",
     "The meeting is now on Thursday in the small hall, with the same agenda."),
]

CHAT = [
    [("user", "I planted tomatoes and the leaves curl."),
     ("assistant", "Do they curl up or down, and is the soil wet or dry?"),
     ("user", "Up, and the soil is dry by noon."),
     ("assistant", "Then it is most likely heat and thirst. Water deeply in the morning, and put straw around the stems to keep the soil cool.")],
    [("system", "You help people to plan trips."),
     ("user", "One day in a town by the sea, with children."),
     ("assistant", "Morning on the beach, lunch at the harbour, the small museum in the heat of the afternoon, and ice cream on the pier when the sun goes down.")],
]

GSM8K = [
    ("A baker makes 12 trays with 8 rolls each and sells 70 rolls. How many rolls are left?",
     "The baker makes 12 * 8 = <<12*8=96>>96 rolls.\nAfter selling 70 there are 96 - 70 = <<96-70=26>>26 left.\n#### 26"),
    ("Mira reads 15 pages a day. Her book has 180 pages. How many days does she need?",
     "She needs 180 / 15 = <<180/15=12>>12 days.\n#### 12"),
    ("A train has 9 cars with 42 seats each. 300 seats are taken. How many are free?",
     "There are 9 * 42 = <<9*42=378>>378 seats.\nFree are 378 - 300 = <<378-300=78>>78.\n#### 78"),
    ("Tom saves 3 coins on Monday and twice as many each day after. How many does he save on Thursday?",
     "Tuesday 3 * 2 = <<3*2=6>>6, Wednesday 6 * 2 = <<6*2=12>>12.\nThursday 12 * 2 = <<12*2=24>>24.\n#### 24"),
    ("A field is 40 m long and 25 m wide. A fence costs 6 coins a metre. What does the fence cost?",
     "The way around is 2 * (40 + 25) = <<2*(40+25)=130>>130 m.\nThe fence costs 130 * 6 = <<130*6=780>>780 coins.\n#### 780"),
    ("Five friends share 65 cherries equally, and each eats 4. How many are left in all?",
     "Each gets 65 / 5 = <<65/5=13>>13.\nEach keeps 13 - 4 = <<13-4=9>>9, in all 9 * 5 = <<9*5=45>>45.\n#### 45"),
    ("A pump fills 18 litres a minute. How long for a 270 litre tank?",
     "It takes 270 / 18 = <<270/18=15>>15 minutes.\n#### 15"),
    ("Lena has 84 beads. A necklace takes 14. She makes as many as she can and sells each for 9 coins. How much does she earn?",
     "She makes 84 / 14 = <<84/14=6>>6 necklaces.\nShe earns 6 * 9 = <<6*9=54>>54 coins.\n#### 54"),
]

DPO = [
    ("How do I boil an egg?",
     "Put it into boiling water for eight minutes, then into cold water.",
     "Eggs are boiled."),
    ("What is the capital of Australia?", "Canberra.", "Sydney, I think."),
    ("Write a polite reminder about an unpaid bill.",
     "Dear customer, our records show that the bill of 3 March is still open. Perhaps it escaped your notice; please settle it by Friday. Thank you.",
     "Pay your bill now or else."),
    ("Is it safe to mix bleach and vinegar?",
     "No. The mixture sets chlorine gas free, which harms the lungs. Keep them apart and air the room.",
     "Yes, it cleans twice as well."),
    ("Explain recursion in one sentence.",
     "A function that solves a problem by calling itself on a smaller one until the answer is plain.",
     "Recursion is recursion, which is when you do recursion on the thing again and again and again, and it goes on in that way for as long as it goes on, which can be long."),
    ("Give me a word that rhymes with light.", "Night.", "Lamp."),
]

GRPO = [
    ("What is 17 * 23?", "391"), ("What is 144 / 12?", "12"),
    ("A square has a side of 9. What is its area?", "81"),
    ("Solve for x: 3x + 7 = 40.", "11"),
    ("How many minutes are there in three and a half hours?", "210"),
    ("What is the next number in the row 2, 6, 18, 54?", "162"),
    ("A shirt costs 40 coins and is reduced by 15 percent. What does it cost now?", "34"),
    ("What is the sum of the first ten odd numbers?", "100"),
]

PRETRAIN = [
    "The river bends three times before it reaches the town, and each bend has a mill. The first grinds wheat, the second saws oak, and the third has stood still since the flood.",
    "Copper conducts heat better than iron. A copper pan is therefore warm all over soon after the flame is lit, while an iron pan stays hot for longer once the flame is out.",
    "def mean(values):\n    total = 0\n    for value in values:\n        total += value\n    return total / len(values)\n",
    "On the last Sunday of autumn the clocks go back. The morning is light again for a few weeks, and the evening comes as a surprise every year.",
    "Wer früh aufsteht, sieht den Nebel über den Wiesen. Wer spät aufsteht, hört nur davon.",
    "A map leaves out almost everything. What it keeps, and how large it draws it, says what its maker thought a traveller must know.",
]

BROKEN = [
    '{"instruction":"Name a colour","input":"","output":"Blue."}',
    '{"instruction":"Name a fruit","input":"","output":""}',
    '{"instruction":"Name a river","input":"","output":null}',
    '{"instruction":"Name a town","input":"","output":"Bath"',
    '',
    '{"instruction":"Name a number","input":"","output":NaN}',
    '{"text":"a plain paragraph among instructions"}',
    '{"messages":[{"role":"user","content":"Hi"},{"role":"assitant","content":"Hello"}]}',
    '["not","an","object"]',
    '{"instruction":"Name a tree","input":"","output":"Oak."} {"instruction":"x"}',
]

WORDS = ("the a of and to in that it with as for was on are by this from at or an be "
         "river stone light paper garden winter engine letter window music bridge "
         "market silver forest morning captain history kitchen mountain question "
         "old new small large quiet early bright heavy simple distant "
         "takes gives holds turns finds keeps moves opens begins returns").split()


# name: (seed, rows, mean of the lengths in words, their sigma/mu before the
# finite grid takes its tails off)
QUADRANTS = {
    "clean": (1, 60, 180, 0.28),
    "padding_waste": (2, 60, 60, 1.2),
    "throughput_collapse": (3, 24, 850, 0.22),
    "dual_failure": (4, 40, 320, 1.3),
}


def prose(rng, words):
    """About `words` words of harmless prose, a token each."""
    out = []
    while len(out) < words:
        n = rng.randint(6, 14)
        sentence = [rng.choice(WORDS) for _ in range(n)]
        sentence[0] = sentence[0].capitalize()
        out += sentence
        out[-1] += "."
    return " ".join(out[:words])


def lengths(rng, n, mean, cv):
    """The quantiles (i - 1/2) / n of a log-normal distribution, shuffled."""
    sigma = math.sqrt(math.log(1 + cv * cv))
    normal = statistics.NormalDist(math.log(mean) - sigma * sigma / 2, sigma)
    steps = [normal.inv_cdf((i + 0.5) / n) for i in range(n)]
    drawn = [max(8, round(math.exp(step))) for step in steps]
    rng.shuffle(drawn)
    return drawn


def quadrant(seed, n, mean, cv):
    rng = random.Random(seed)
    rows = []
    for length in lengths(rng, n, mean, cv):
        question = max(4, length // 4)
        rows.append({"prompt": prose(rng, question),
                     "completion": prose(rng, length - question)})
    return rows


def write(folder, name, rows):
    lines = [json.dumps(row, ensure_ascii=False) if not isinstance(row, str)
             else row for row in rows]
    (folder / name).write_bytes(("\n".join(lines) + "\n").encode())


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    sft = []
    for system, user, answer in SFT:
        messages = [] if system is None else [{"role": "system", "content": system}]
        messages += [{"role": "user", "content": user},
                     {"role": "assistant", "content": answer}]
        sft.append({"messages": messages})
    for turns in CHAT:
        sft.append({"messages": [{"role": r, "content": c} for r, c in turns]})
    write(folder, "sample_sft.jsonl", sft)
    write(folder, "sample_gsm8k.jsonl",
          [{"question": q, "answer": a} for q, a in GSM8K])
    write(folder, "sample_dpo.jsonl",
          [{"prompt": p, "chosen": c, "rejected": r} for p, c, r in DPO])
    write(folder, "sample_grpo.jsonl",
          [{"prompt": p, "answer": a} for p, a in GRPO])
    write(folder, "sample_pretrain.jsonl", [{"text": t} for t in PRETRAIN])
    write(folder, "sample_broken.jsonl", BROKEN)
    for name, rows in QUADRANTS.items():
        write(folder, f"quadrant_{name}.jsonl", quadrant(*rows))


if __name__ == "__main__":
    main()
