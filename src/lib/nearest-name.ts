/** How different a suggested name may be, from 0 (the same) to 1. */
const MAX_DIFFERENCE = 0.45
/** Two wrong letters, as in DOCKET_PROT, are accepted in a short name too. */
const MAX_WRONG_LETTERS = 2
/** A word too many or too few, such as LISTEN in DOCKET_LISTEN_PORT, is half as bad as another word. */
const MISSING_WORD_COST = 0.5
/** Of an abbreviation such as DB for DATABASE. */
const ABBREVIATION_COST = 0.1
const MAX_ABBREVIATION_LENGTH = 3

/**
 * The path that is most similar by its segments, such as `/api/v1/workspace/members` for `/api/v1/members`;
 * undefined if none is. What stands for a parameter such as `:id` fits it, and is kept in the result.
 */
export function findNearestPath(path: string, candidates: readonly string[]): string | undefined {
  const segments = path.split('/').slice(0, MAX_PATH_SEGMENTS)
  const compareSegment = (one: string, other: string) => {
    if (other.startsWith(':')) return ID.test(one) ? 0 : OTHER_SEGMENT_COST
    const difference = countWrongLetters(one, other) / Math.max(one.length, other.length, 1)
    return difference <= MAX_DIFFERENCE ? difference : OTHER_SEGMENT_COST
  }
  const rated = candidates.map((candidate) => {
    const other = candidate.split('/')
    const cost = editDistance(segments, other, {
      missing: MISSING_WORD_COST,
      replaced: compareSegment,
    })
    return { candidate, difference: cost / Math.max(segments.length, other.length) }
  })
  const [nearest] = rated.toSorted((one, other) => one.difference - other.difference)
  if (!nearest || nearest.difference > MAX_PATH_DIFFERENCE) return undefined
  const ids = segments.filter((segment) => ID.test(segment))
  return nearest.candidate.replace(/:\w+/g, (parameter) => ids.shift() ?? parameter)
}

/** A longer path is not a mistyped one, and comparing takes time. */
const MAX_PATH_SEGMENTS = 12
const MAX_PATH_DIFFERENCE = 0.2
/** More than any path may differ: another word, or a word where an id belongs, is no slip. */
const OTHER_SEGMENT_COST = 4
const ID = /^([a-z]{3}_[0-9a-z]{26}|[A-Za-z][A-Za-z0-9]{1,9}-\d{1,15})$/

/** The setting whose name is most similar by its letters and words; undefined if none is. */
export function findNearestName(name: string, candidates: readonly string[]): string | undefined {
  const word = withoutPrefix(name)
  const rated = candidates.map((candidate) => {
    const other = withoutPrefix(candidate)
    const wrongLetters = countWrongLetters(word, other)
    const letters = wrongLetters / Math.max(word.length, other.length)
    const words = compareWords(word.split('_'), other.split('_'))
    const isSimilar =
      Math.min(letters, words) <= MAX_DIFFERENCE || wrongLetters <= MAX_WRONG_LETTERS
    return { candidate, isSimilar, difference: letters + words }
  })
  const [nearest] = rated
    .filter(({ isSimilar }) => isSimilar)
    .toSorted((one, other) => one.difference - other.difference)
  return nearest?.candidate
}

const withoutPrefix = (name: string) => name.replace(/^DOCKET_/, '')

const countWrongLetters = (one: string, other: string): number =>
  editDistance([...one], [...other], { missing: 1, replaced: () => 1 })

/** The difference of two lists of words, as a share of the longer one. */
const compareWords = (one: readonly string[], other: readonly string[]): number =>
  editDistance(one, other, { missing: MISSING_WORD_COST, replaced: compareWord }) /
  Math.max(one.length, other.length)

function compareWord(one: string, other: string): number {
  const [short = '', long = ''] = [one, other].toSorted((a, b) => a.length - b.length)
  const isAbbreviation =
    short.length <= MAX_ABBREVIATION_LENGTH &&
    short[0] === long[0] &&
    new RegExp([...short].map(RegExp.escape).join('.*')).test(long)
  if (isAbbreviation) return ABBREVIATION_COST
  return countWrongLetters(short, long) / Math.max(long.length, 1)
}

interface EditCosts {
  missing: number
  replaced(one: string, other: string): number
}

/** The Levenshtein distance of two sequences. */
function editDistance(
  one: readonly string[],
  other: readonly string[],
  { missing, replaced }: EditCosts,
): number {
  let row = [0, ...other.map((_, at) => (at + 1) * missing)]
  for (const left of one) {
    const next = [(row[0] ?? 0) + missing]
    for (const [at, right] of other.entries()) {
      const kept = (row[at] ?? 0) + (left === right ? 0 : replaced(left, right))
      const dropped = (row[at + 1] ?? 0) + missing
      const added = (next[at] ?? 0) + missing
      next.push(Math.min(kept, dropped, added))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
