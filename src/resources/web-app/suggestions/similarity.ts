import { MAX_TASK_NUMBER } from '#resources/tasks/load.ts'

/**
 * The Damerau-Levenshtein distance of two texts, capped at 2: the number of characters that were
 * inserted, deleted or replaced, and of neighbors that were transposed.
 */
export function editDistance(a: string, b: string): 0 | 1 | 2 {
  if (a === b) return 0
  let start = 0
  while (start < a.length && a[start] === b[start]) start += 1
  const [x, y] = [a.slice(start), b.slice(start)]
  if (x.slice(1) === y.slice(1) || x.slice(1) === y || x === y.slice(1)) return 1
  const isTransposed = x.length > 1 && x[0] === y[1] && x[1] === y[0] && x.slice(2) === y.slice(2)
  return isTransposed ? 1 : 2
}

/** The text and all texts of these characters at distance 1 from it. */
function similarTexts(text: string, characters: string): string[] {
  const candidates = new Set([text])
  for (let index = 0; index <= text.length; index += 1) {
    const [before, after] = [text.slice(0, index), text.slice(index)]
    candidates.add(before + after.slice(1))
    if (after.length > 1) candidates.add(before + after[1] + after[0] + after.slice(2))
    for (const character of characters) {
      candidates.add(before + character + after)
      candidates.add(before + character + after.slice(1))
    }
  }
  return [...candidates]
}

/** The prefixes at distance 0 or 1 from a prefix: some hundred, however many projects there are. */
export const similarPrefixes = (prefix: string): string[] =>
  similarTexts(prefix, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789')

/** The numbers at distance 0 or 1 from a number, within the range of task numbers. */
export function similarNumbers(number: number): number[] {
  const similar = similarTexts(String(number), '0123456789').map(Number)
  const candidates = new Set([number - 1, number + 1, ...similar])
  return [...candidates].filter((one) => one >= 1 && one <= MAX_TASK_NUMBER)
}
