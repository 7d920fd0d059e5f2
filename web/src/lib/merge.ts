/** A run of lines of a merged text: as both have it, as one of them changed it, or as they differ. */
export type Piece =
  | { kind: 'agreed'; by: 'nobody' | 'me' | 'them' | 'both'; lines: readonly string[] }
  | { kind: 'clash'; mine: readonly string[]; theirs: readonly string[] }

/**
 * Merges two changes of one text by lines. What only one side changed is taken; where both changed
 * the same lines to different ones, both are kept as a clash, so nothing is dropped.
 */
export function merge(base: string, mine: string, theirs: string): Piece[] {
  const [from, my, their] = [base, mine, theirs].map((text) => text.split('\n')) as Texts
  const inMine = matches(from, my)
  const inTheirs = matches(from, their)
  const pieces: Piece[] = []
  let [b, m, t] = [0, 0, 0]
  while (b < from.length || m < my.length || t < their.length) {
    let next = b
    while (next < from.length && !(has(inMine, next, m) && has(inTheirs, next, t))) next += 1
    const [toM, toT] = [inMine[next] ?? my.length, inTheirs[next] ?? their.length]
    add(pieces, judged(from.slice(b, next), my.slice(m, toM), their.slice(t, toT)))
    if (next < from.length) {
      add(pieces, { kind: 'agreed', by: 'nobody', lines: from.slice(next, next + 1) })
    }
    ;[b, m, t] = [next + 1, toM + 1, toT + 1]
  }
  return pieces
}

type Texts = [string[], string[], string[]]

/** The text of pieces; of each clash both sides, mine first, or the one that was chosen for it. */
export const textOf = (
  pieces: readonly Piece[],
  choice: (clash: number) => 'mine' | 'theirs' | 'both' = () => 'both',
): string => {
  let clash = -1
  return pieces
    .flatMap((piece) => {
      if (piece.kind === 'agreed') return piece.lines
      clash += 1
      const { mine, theirs } = piece
      return { mine, theirs, both: [...mine, ...theirs] }[choice(clash)]
    })
    .join('\n')
}

/** Whether the line of the base is in the other text, at or after the place reached there. */
const has = (found: readonly (number | undefined)[], line: number, from: number): boolean =>
  (found[line] ?? -1) >= from

function judged(from: string[], mine: string[], theirs: string[]): Piece {
  if (alike(mine, theirs)) {
    return { kind: 'agreed', by: alike(mine, from) ? 'nobody' : 'both', lines: mine }
  }
  if (alike(mine, from)) return { kind: 'agreed', by: 'them', lines: theirs }
  if (alike(theirs, from)) return { kind: 'agreed', by: 'me', lines: mine }
  return { kind: 'clash', mine, theirs }
}

const alike = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((line, at) => line === b[at])

/** Joins runs of the same kind; a run without lines is a deletion, and shows nothing. */
function add(pieces: Piece[], piece: Piece): void {
  if (piece.kind === 'agreed' && piece.lines.length === 0) return
  const last = pieces.at(-1)
  if (piece.kind === 'agreed' && last?.kind === 'agreed' && last.by === piece.by) {
    pieces[pieces.length - 1] = { ...last, lines: [...last.lines, ...piece.lines] }
  } else pieces.push(piece)
}

/** Beyond this many edits two texts count as different throughout: the search would take too long. */
const MOST_EDITS = 600

/**
 * For each line of `a` where it is in `b`, if it is kept, in ascending order (the shortest script of
 * Eugene W. Myers, 1986; equal heads and tails are taken off before).
 */
function matches(a: readonly string[], b: readonly string[]): (number | undefined)[] {
  const found: (number | undefined)[] = new Array(a.length)
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) {
    found[head] = head
    head += 1
  }
  let tail = 0
  const shorter = Math.min(a.length, b.length) - head
  while (tail < shorter && a[a.length - 1 - tail] === b[b.length - 1 - tail]) {
    tail += 1
    found[a.length - tail] = b.length - tail
  }
  const kept = script(a.slice(head, a.length - tail), b.slice(head, b.length - tail))
  for (const [x, y] of kept) found[head + x] = head + y
  return found
}

/** Pairs of lines that a shortest script of edits keeps. */
function script(a: readonly string[], b: readonly string[]): [number, number][] {
  const most = Math.min(a.length + b.length, MOST_EDITS)
  const trail: Map<number, number>[] = []
  let furthest = new Map([[1, 0]])
  for (let edits = 0; edits <= most; edits += 1) {
    trail.push(furthest)
    const next = new Map(furthest)
    for (let k = -edits; k <= edits; k += 2) {
      let x = isDown(furthest, k, edits)
        ? (furthest.get(k + 1) ?? 0)
        : (furthest.get(k - 1) ?? 0) + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1
      next.set(k, x)
      if (x >= a.length && x - k >= b.length) return back(trail, a.length, b.length)
    }
    furthest = next
  }
  return []
}

const isDown = (furthest: ReadonlyMap<number, number>, k: number, edits: number): boolean =>
  k === -edits || (k !== edits && (furthest.get(k - 1) ?? 0) < (furthest.get(k + 1) ?? 0))

function back(trail: readonly ReadonlyMap<number, number>[], x: number, y: number) {
  const kept: [number, number][] = []
  for (let edits = trail.length - 1; edits >= 0; edits -= 1) {
    const furthest = trail[edits] ?? new Map<number, number>()
    const k = x - y
    const from = isDown(furthest, k, edits) ? k + 1 : k - 1
    const fromX = furthest.get(from) ?? 0
    const fromY = fromX - from
    while (x > Math.max(fromX, 0) && y > Math.max(fromY, 0)) {
      x -= 1
      y -= 1
      if (x < fromX || y < fromY) break
      kept.push([x, y])
    }
    ;[x, y] = [fromX, fromY]
  }
  return kept.toReversed()
}
