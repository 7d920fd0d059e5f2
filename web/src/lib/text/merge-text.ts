/** A run of lines of a merged text: agreed by both sides or changed by one, or in conflict. */
export type MergePiece =
  | { kind: 'agreed'; by: 'nobody' | 'me' | 'them' | 'both'; lines: readonly string[] }
  | { kind: 'clash'; mine: readonly string[]; theirs: readonly string[] }

/**
 * Three-way merge of a text by lines. A change of one side alone is applied; if both changed the
 * same lines differently, both versions are kept as a clash, so nothing is lost.
 */
export function mergeText(base: string, mine: string, theirs: string): MergePiece[] {
  const [from, my, their] = [base, mine, theirs].map((text) => text.split('\n')) as ThreeTexts
  const inMine = matchLines(from, my)
  const inTheirs = matchLines(from, their)
  const pieces: MergePiece[] = []
  let [b, m, t] = [0, 0, 0]
  while (b < from.length || m < my.length || t < their.length) {
    let next = b
    while (
      next < from.length &&
      !(isMatchedFrom(inMine, next, m) && isMatchedFrom(inTheirs, next, t))
    )
      next += 1
    const [toM, toT] = [inMine[next] ?? my.length, inTheirs[next] ?? their.length]
    appendPiece(pieces, classify(from.slice(b, next), my.slice(m, toM), their.slice(t, toT)))
    if (next < from.length) {
      appendPiece(pieces, { kind: 'agreed', by: 'nobody', lines: from.slice(next, next + 1) })
    }
    ;[b, m, t] = [next + 1, toM + 1, toT + 1]
  }
  return pieces
}

type ThreeTexts = [string[], string[], string[]]

/** The merged text; each clash is replaced by the chosen side, by default both, mine first. */
export const joinPieces = (
  pieces: readonly MergePiece[],
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

/** Whether a line of the base is in the other text, at or after the current line there. */
const isMatchedFrom = (
  found: readonly (number | undefined)[],
  line: number,
  from: number,
): boolean => (found[line] ?? -1) >= from

function classify(from: string[], mine: string[], theirs: string[]): MergePiece {
  if (isEqualLines(mine, theirs)) {
    return { kind: 'agreed', by: isEqualLines(mine, from) ? 'nobody' : 'both', lines: mine }
  }
  if (isEqualLines(mine, from)) return { kind: 'agreed', by: 'them', lines: theirs }
  if (isEqualLines(theirs, from)) return { kind: 'agreed', by: 'me', lines: mine }
  return { kind: 'clash', mine, theirs }
}

const isEqualLines = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((line, at) => line === b[at])

/** Appends a piece, joined with the last one if both are alike. An empty one is a deletion. */
function appendPiece(pieces: MergePiece[], piece: MergePiece): void {
  if (piece.kind === 'agreed' && piece.lines.length === 0) return
  const last = pieces.at(-1)
  if (piece.kind === 'agreed' && last?.kind === 'agreed' && last.by === piece.by) {
    pieces[pieces.length - 1] = { ...last, lines: [...last.lines, ...piece.lines] }
  } else pieces.push(piece)
}

/** Beyond this many edits two texts count as entirely different: the search would take too long. */
const MAX_EDITS = 600

/**
 * For each line of `a` its index in `b` if the line is kept, in ascending order. Eugene W. Myers's
 * shortest edit script (1986), after equal heads and tails are stripped.
 */
function matchLines(a: readonly string[], b: readonly string[]): (number | undefined)[] {
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
  const kept = findKeptLines(a.slice(head, a.length - tail), b.slice(head, b.length - tail))
  for (const [x, y] of kept) found[head + x] = head + y
  return found
}

/** The pairs of lines that a shortest edit script keeps. */
function findKeptLines(a: readonly string[], b: readonly string[]): [number, number][] {
  const maxEdits = Math.min(a.length + b.length, MAX_EDITS)
  const trail: Map<number, number>[] = []
  let furthest = new Map([[1, 0]])
  for (let edits = 0; edits <= maxEdits; edits += 1) {
    trail.push(furthest)
    const next = new Map(furthest)
    for (let k = -edits; k <= edits; k += 2) {
      let x = isDown(furthest, k, edits)
        ? (furthest.get(k + 1) ?? 0)
        : (furthest.get(k - 1) ?? 0) + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1
      next.set(k, x)
      if (x >= a.length && x - k >= b.length) return backtrack(trail, a.length, b.length)
    }
    furthest = next
  }
  return []
}

const isDown = (furthest: ReadonlyMap<number, number>, k: number, edits: number): boolean =>
  k === -edits || (k !== edits && (furthest.get(k - 1) ?? 0) < (furthest.get(k + 1) ?? 0))

function backtrack(trail: readonly ReadonlyMap<number, number>[], x: number, y: number) {
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
