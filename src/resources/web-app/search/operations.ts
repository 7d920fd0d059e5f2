import { viewerId } from '#core/actor.ts'
import { invalidParameter } from '#core/api-error.ts'
import type { CursorPosition, ListRow, PageRequest } from '#core/page-request.ts'
import type { Operation, OperationInput } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { toIndexQuery } from '#db/tasks/search-words.ts'
import { withoutHtmlComments } from '#lib/html-comments.ts'
import { type Json, toJson } from '#lib/json.ts'
import { extractQueryWords, hasAllWords } from '#lib/search-words.ts'
import { createSnippet } from '#lib/snippet.ts'
import { idOfShortId } from '#resources/tasks/load.ts'
import { MATCH_FIELDS, SEARCH_FIELDS, type SearchResult, type searchTasks } from './contract.ts'
import {
  hiddenProject,
  matchedComments,
  matchedTasks,
  type SearchCandidate,
  type SearchQueryShape,
  selectCandidateCount,
  selectCandidates,
} from './store.ts'

/** A matching task with its best match. */
interface SearchHit {
  id: string
  /** The field of the match, as an index of `MATCH_FIELDS`. */
  rank: number
  /** When the task or the comment changed last. */
  changed_at: string
  comment_id: string | null
}

/**
 * Only the newest tasks and comments with the words are examined, which blocks the event loop for
 * about 10 ms on SQLite. If descriptions must be scanned, both their number and their characters
 * are limited.
 */
const MAX_CANDIDATES = { task: 2_000, comment: 1_000 }
const MAX_DESCRIPTIONS = 200
const MAX_DESCRIPTION_CHARACTERS = 500_000

/**
 * The hits from the cursor on, in order, as many as the page needs. `isTruncated` says that not
 * every match was examined. It is never set for users who do not see all projects, because it would
 * reveal how many hidden matches there are.
 */
async function findHits(tx: ReadTx, query: SearchQuery & { q: string }, page: PageRequest) {
  const { q, in: fields = SEARCH_FIELDS } = query
  const words = extractQueryWords(q)
  const hits = new Map<string, SearchHit>()
  const add = (rank: number, { id, comment_id, changed_at }: SearchCandidate) => {
    if (id !== null && !hits.has(id)) hits.set(id, { id, rank, changed_at, comment_id })
  }
  const { shape, values } = toSearchFilters(tx, query)
  let isTruncated = false

  const searched_id = await idOfShortId(tx, q.trim())
  if (searched_id !== undefined) {
    const by = { ...shape, of: 'task', by: 'id' } as const
    for (const one of await tx.all(selectCandidates(by), { ...values, searched_id })) add(0, one)
  }
  const [title, description] = [fields.includes('title'), fields.includes('description')]
  if (words.length > 0 && (title || description)) {
    // One index covers title and description, so the title is checked to tell which one matched.
    const described = !title
    const limit = described ? MAX_DESCRIPTIONS : MAX_CANDIDATES.task
    const candidates = await readCandidates(tx, { ...shape, of: 'task', described }, values, limit)
    isTruncated ||= candidates.isTruncated
    let charactersLeft = MAX_DESCRIPTION_CHARACTERS
    for (const one of candidates.rows) {
      const inTitle = hasAllWords(one.title ?? '', words)
      if (title && inTitle) add(1, one)
      else if (description && !inTitle) add(2, one)
      else if (description && charactersLeft > 0) {
        charactersLeft -= one.description?.length ?? 0
        if (hasAllWords(one.description ?? '', words)) add(2, one)
      }
    }
    isTruncated ||= charactersLeft <= 0
  }
  if (
    words.length > 0 &&
    fields.includes('comments') &&
    hitsAfterCursor(hits, page).length < page.limit
  ) {
    const candidates = await readCandidates(
      tx,
      { ...shape, of: 'comment' },
      values,
      MAX_CANDIDATES.comment,
    )
    isTruncated ||= candidates.isTruncated
    for (const one of candidates.rows.toSorted(newestFirst)) add(3, one)
  }
  const showsTruncation = isTruncated && (await tx.one(hiddenProject, {})) === undefined
  return { words, hits: hitsAfterCursor(hits, page), isTruncated: showsTruncation }
}

const newestFirst = (a: SearchCandidate, b: SearchCandidate) =>
  compare(b.changed_at, a.changed_at) || compare(b.comment_id ?? '', a.comment_id ?? '')

/** Index keys grow with each insert. */
const newestKeyFirst = (a: SearchCandidate, b: SearchCandidate) => (a.key < b.key ? 1 : -1)

/** The candidates with the words, up to a limit. */
async function readCandidates(
  tx: ReadTx,
  shape: Omit<SearchQueryShape, 'by'>,
  values: ReturnType<typeof toSearchFilters>['values'],
  limit: number,
) {
  // A prefix search collects all matches before it returns the newest, so it is skipped if whole
  // words already match more than the limit.
  const { of } = shape
  const total = await tx.one(selectCandidateCount(of), { search: values.search, limit: limit + 1 })
  const by = (total?.count ?? 0) > limit ? 'whole' : 'begun'
  const rows = await tx.all(selectCandidates({ ...shape, by }), { ...values, limit: limit + 1 })
  if (rows.length <= limit) return { rows, isTruncated: false }
  return { rows: rows.toSorted(newestKeyFirst).slice(0, limit), isTruncated: true }
}

function toSearchFilters(tx: ReadTx, { q = '', project_id, assignee_id, author_id }: SearchQuery) {
  const me = (ids: readonly string[] = []) =>
    ids.map((id) => (id === 'me' ? viewerId(tx.actor) : id))
  const assignees = me(assignee_id?.filter((id) => id !== 'none'))
  const shape = {
    described: false,
    project: project_id !== undefined,
    assignees: assignees.length > 0,
    unassigned: assignee_id?.includes('none') === true,
    authors: author_id !== undefined,
  }
  const search = toIndexQuery(tx.actor.workspace_id, extractQueryWords(q))
  const authors = me(author_id)
  return {
    shape,
    values: { search, searched_id: '', project_id: project_id ?? '', assignees, authors, limit: 1 },
  }
}

/** The sorted hits after the cursor. */
function hitsAfterCursor(
  hits: ReadonlyMap<string, SearchHit>,
  { after }: PageRequest,
): SearchHit[] {
  const sorted = [...hits.values()].toSorted(compareHits)
  return after === undefined
    ? sorted
    : sorted.filter((hit) => compareHits(hit, parsePosition(after)) > 0)
}

type HitPosition = Pick<SearchHit, 'rank' | 'changed_at' | 'id'>

/** By the field of the match, then newest change first. */
const compareHits = (a: HitPosition, b: HitPosition): number =>
  a.rank - b.rank || compare(b.changed_at, a.changed_at) || compare(b.id, a.id)

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** The position of a hit in a cursor. */
const cursorKeyOfHit = ({ rank, changed_at }: SearchHit): string => `${rank} ${changed_at}`

function parsePosition([key, id]: CursorPosition): HitPosition {
  const [rank = '', changed_at = ''] = String(key).split(' ')
  return { rank: Number(rank), changed_at, id }
}

type SearchQuery = OperationInput<typeof searchTasks>['query']

export const findTasks: Operation<typeof searchTasks> = async (tx, _, { query, page }) => {
  const { q } = query
  if (q === undefined) throw invalidParameter('q', 'is required')
  const { words, hits, isTruncated } = await findHits(tx, { ...query, q }, page)
  const rows = await toRows(tx, hits.slice(0, page.limit), words)
  return page.toPage(rows, isTruncated)
}

/**
 * The records of hits, empty for those that were deleted in the meantime: the next page begins after the
 * last hit, whether or not it is still there.
 */
async function toRows(tx: ReadTx, hits: readonly SearchHit[], words: readonly string[]) {
  const comments = hits.flatMap(({ comment_id }) => comment_id ?? [])
  const tasks = await tx.all(matchedTasks, { ids: hits.map(({ id }) => id) })
  const bodies = comments.length > 0 ? await tx.all(matchedComments, { ids: comments }) : []
  const taskById = new Map(tasks.map((task) => [task.id, task]))
  const bodyById = new Map(bodies.map(({ id, body }) => [id, body]))
  return hits.map((hit): ListRow<SearchResult> => {
    const { id, rank, comment_id } = hit
    const key = cursorKeyOfHit(hit)
    const task = taskById.get(id)
    const texts = [task?.title, task?.title, task?.description, bodyById.get(comment_id ?? '')]
    const text = texts[rank]
    if (!task || text === undefined) return { id, key, json: '' }
    const match = {
      where: MATCH_FIELDS[rank],
      comment_id,
      // The app shows no comments of HTML. A title is no Markdown.
      snippet: createSnippet(rank < 2 ? (text ?? '') : withoutHtmlComments(text ?? ''), words),
    }
    const json = `{"task":${task.json},${toJson(match).slice(1)}` as Json<SearchResult>
    return { id, key, json }
  })
}
