/**
 * How many slips of the hand lie between two texts, as far as it matters: 0, 1 or 2 for more. A slip
 * is a sign too many, missing or wrong, or two neighbours that have changed places.
 */
export function slipsBetween(a: string, b: string): 0 | 1 | 2 {
  if (a === b) return 0
  let start = 0
  while (start < a.length && a[start] === b[start]) start += 1
  const [x, y] = [a.slice(start), b.slice(start)]
  if (x.slice(1) === y.slice(1) || x.slice(1) === y || x === y.slice(1)) return 1
  const swapped = x.length > 1 && x[0] === y[1] && x[1] === y[0] && x.slice(2) === y.slice(2)
  return swapped ? 1 : 2
}

/** Numbers that a slip away from one, itself among them; as many as a short id can have. */
export function numbersLike(number: number): number[] {
  const digits = String(number)
  const found = new Set([number, number - 1, number + 1])
  for (let at = 0; at <= digits.length; at += 1) {
    const [before, after] = [digits.slice(0, at), digits.slice(at)]
    found.add(Number(before + after.slice(1)))
    if (after.length > 1) found.add(Number(before + after[1] + after[0] + after.slice(2)))
    for (const digit of '0123456789') {
      found.add(Number(before + digit + after))
      found.add(Number(before + digit + after.slice(1)))
    }
  }
  return [...found].filter((one) => one >= 1 && one <= LARGEST)
}

const LARGEST = 2 ** 31 - 1
