import type { Page, Position } from '#core/page.ts'
import type { ReadTx } from '#core/tx.ts'
import { holdsWords, wordsOf } from '#lib/words.ts'
import { idOfShortId } from '#resources/tasks/load.ts'
import { indexed } from '#storage/words.ts'
import { PLACES } from './contract.ts'
import type { Query } from './operations.ts'
import { anyHidden, type Candidate, candidatesOf, countOf, type Shape } from './store.ts'

/** A task that is found, by the best place at which it is. */
export interface Hit {
  id: string
  /** Where: its place in `FOUND_IN`. */
  rank: number
  /** Of the task or the comment. */
  changed_at: string
  comment_id: string | null
}

/**
 * So many that have the words are looked at, the newest ones: about 10 ms of the event loop on SQLite.
 * Where descriptions are to be read through it is fewer of them, and so many characters.
 */
const MOST = { task: 2_000, comment: 1_000 }
const MOST_DESCRIBED = 200
const MOST_CHARACTERS = 500_000

/**
 * What is found, in order, from where a page begins on and as far as it needs; `isCut` tells that not
 * everything with the words was looked at. It does not tell it to whom something is hidden: it would
 * tell how much.
 */
export async function findHits(tx: ReadTx, query: Query & { q: string }, page: Page) {
  const { q, in: places = PLACES } = query
  const words = wordsOf(q)
  const hits = new Map<string, Hit>()
  const add = (rank: number, { id, comment_id, changed_at }: Candidate) => {
    if (id !== null && !hits.has(id)) hits.set(id, { id, rank, changed_at, comment_id })
  }
  const { shape, values } = filtersOf(tx, query)
  let isCut = false

  const searched_id = await idOfShortId(tx, q.trim())
  if (searched_id !== undefined) {
    const by = { ...shape, of: 'task', by: 'id' } as const
    for (const one of await tx.all(candidatesOf(by), { ...values, searched_id })) add(0, one)
  }
  const [title, description] = [places.includes('title'), places.includes('description')]
  if (words.length > 0 && (title || description)) {
    // The index has title and description together: which one it was the title tells, mostly.
    const described = !title
    const limit = described ? MOST_DESCRIBED : MOST.task
    const found = await candidates(tx, { ...shape, of: 'task', described }, values, limit)
    isCut ||= found.isCut
    let left = MOST_CHARACTERS
    for (const one of found.rows) {
      const inTitle = holdsWords(one.title ?? '', words)
      if (title && inTitle) add(1, one)
      else if (description && !inTitle) add(2, one)
      else if (description && left > 0) {
        left -= one.description?.length ?? 0
        if (holdsWords(one.description ?? '', words)) add(2, one)
      }
    }
    isCut ||= left <= 0
  }
  if (words.length > 0 && places.includes('comments') && left(hits, page).length < page.limit) {
    const found = await candidates(tx, { ...shape, of: 'comment' }, values, MOST.comment)
    isCut ||= found.isCut
    for (const one of found.rows.toSorted(newestFirst)) add(3, one)
  }
  const tells = isCut && (await tx.one(anyHidden, {})) === undefined
  return { words, hits: left(hits, page), isCut: tells }
}

const newestFirst = (a: Candidate, b: Candidate) =>
  compare(b.changed_at, a.changed_at) || compare(b.comment_id ?? '', a.comment_id ?? '')

/** By their keys in the index, which grow. */
const lastMadeFirst = (a: Candidate, b: Candidate) => (a.key < b.key ? 1 : -1)

/** What has words, as far as it is looked at. */
async function candidates(
  tx: ReadTx,
  shape: Omit<Shape, 'by'>,
  values: ReturnType<typeof filtersOf>['values'],
  limit: number,
) {
  // All beginnings of words are gathered before the newest is told: not where whole words are enough.
  const { of } = shape
  const counted = await tx.one(countOf(of), { search: values.search, limit: limit + 1 })
  const by = (counted?.count ?? 0) > limit ? 'whole' : 'begun'
  const rows = await tx.all(candidatesOf({ ...shape, by }), { ...values, limit: limit + 1 })
  if (rows.length <= limit) return { rows, isCut: false }
  return { rows: rows.toSorted(lastMadeFirst).slice(0, limit), isCut: true }
}

function filtersOf(tx: ReadTx, { q = '', project_id, assignee_id, author_id }: Query) {
  const me = (ids: readonly string[] = []) =>
    ids.map((id) => (id === 'me' ? (tx.actor.user_id ?? '') : id))
  const assignees = me(assignee_id?.filter((id) => id !== 'none'))
  const shape = {
    described: false,
    project: project_id !== undefined,
    assignees: assignees.length > 0,
    unassigned: assignee_id?.includes('none') === true,
    authors: author_id !== undefined,
  }
  const search = indexed(tx.actor.workspace_id, q)
  const authors = me(author_id)
  return {
    shape,
    values: { search, searched_id: '', project_id: project_id ?? '', assignees, authors, limit: 1 },
  }
}

/** What stands after the position where the page begins, in order. */
function left(hits: ReadonlyMap<string, Hit>, { after }: Page): Hit[] {
  const all = [...hits.values()].toSorted(inOrder)
  return after === undefined ? all : all.filter((hit) => inOrder(hit, placeOf(after)) > 0)
}

type Placed = Pick<Hit, 'rank' | 'changed_at' | 'id'>

/** By where it was found, then by the newest change. */
const inOrder = (a: Placed, b: Placed): number =>
  a.rank - b.rank || compare(b.changed_at, a.changed_at) || compare(b.id, a.id)

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** The key by which a cursor remembers the place of a hit. */
export const keyOf = ({ rank, changed_at }: Hit): string => `${rank} ${changed_at}`

function placeOf([key, id]: Position): Placed {
  const [rank = '', changed_at = ''] = String(key).split(' ')
  return { rank: Number(rank), changed_at, id }
}
