import type { ImportedComment } from '#resources/imports/imported-task.ts'
import { decodeText } from '../formats/decode-text.ts'
import {
  asDay,
  asDue,
  asJsonObject,
  asJsonObjects,
  asNumber,
  asText,
  type JsonObject,
  readJsonElements,
} from '../formats/json-elements.ts'
import type { ExtraValue } from '../mapping/extra-values.ts'
import { MAX_ROW_COMMENTS } from '../mapping/fit-row.ts'
import {
  numberRows,
  type OmissionCounter,
  type SourceReader,
  type SourceReading,
  type SourceRow,
  toLinkNote,
} from './source.ts'

interface TrelloBoard {
  name: string
  description: string | null
  lists: Map<string, TrelloList>
  people: Map<string, string>
  /** Newest first, as the export lists them. */
  comments: Map<string, ImportedComment[]>
  checklists: Map<string, TrelloChecklist[]>
  customFields: Map<string, { name: string; options: ReadonlyMap<string, string> }>
  cards: { id: string; list_id: string; position: number }[]
}

interface TrelloList {
  name: string
  isClosed: boolean
  position: number
}

interface TrelloChecklist {
  id: string | null
  name: string
  position: number
  items: TrelloItem[]
}

interface TrelloItem {
  id: string | null
  title: string
  isComplete: boolean
  due: string | null
  memberId: string | null
  position: number
}

/** The status of archived cards and lists. */
const ARCHIVED = 'Archived'
/** What Trello calls a checklist that nobody has named, in some languages. */
const DEFAULT_CHECKLIST_NAME = /^(checklist|checkliste|lista de verificación|liste de contrôle)$/i

/** What has no position keeps its place at the end. */
const asPosition = (value: unknown): number => {
  const position = asNumber(value)
  return Number.isFinite(position) ? position : Number.MAX_VALUE
}
const byPosition = (a: { position: number }, b: { position: number }) => a.position - b.position
const nameOf = (person: JsonObject) => asText(person.fullName) ?? asText(person.username)

/**
 * Reads the JSON export of a Trello board: lists become statuses, items of checklists subtasks. The
 * order is that of the board, not of the file.
 */
export const readTrello: SourceReader = async function* (reading) {
  const board = await readBoard(reading)
  const { name, description, lists } = board
  const numbers = numberCards(board)
  const open = [...lists.values()].filter((list) => !list.isClosed && list.name !== '')
  const statuses = open.toSorted(byPosition).map((list) => ({ name: list.name }))
  reading.projects.push({ name, description, statuses })
  let hasArchived = false
  let cardCount = 0
  for await (const { member, value } of readJsonElements(decodeText(reading.file.bytes(), false))) {
    if (member !== 'cards') continue
    const card = asJsonObject(value)
    const number = numbers[cardCount] ?? cardCount + 1
    cardCount += 1
    const key = asText(card.id)
    const comments = takeFor(board.comments, key).reverse()
    const row = { ...toRow(card, board, reading.timezone), number, key, comments }
    if (row.status === ARCHIVED && !hasArchived) statuses.push({ name: ARCHIVED })
    hasArchived ||= row.status === ARCHIVED
    countOmissions(card, comments.length, reading.omissions)
    yield row
    yield* toSubtasks(takeFor(board.checklists, key), row, board, reading.timezone)
  }
}

/** Reads what the cards refer to in a first pass, because it may follow them in the file. */
async function readBoard(reading: SourceReading): Promise<TrelloBoard> {
  const board: TrelloBoard = {
    name: '',
    description: null,
    lists: new Map(),
    people: new Map(),
    comments: new Map(),
    checklists: new Map(),
    customFields: new Map(),
    cards: [],
  }
  const addPerson = (value: unknown) => {
    const person = asJsonObject(value)
    const [id, name] = [asText(person.id), nameOf(person)]
    if (id === null || name === null || board.people.has(id)) return
    reading.hold(id, name)
    board.people.set(id, name)
  }
  for await (const { member, value } of readJsonElements(decodeText(reading.file.bytes(), false))) {
    const one = asJsonObject(value)
    const [id, name] = [asText(one.id) ?? '', asText(one.name)]
    if (member === 'name') board.name = asText(value) ?? ''
    else if (member === 'desc') board.description = asText(value)
    else if (member === 'members') addPerson(one)
    else if (member === 'lists') {
      reading.hold(id, name)
      const position = asPosition(one.pos)
      board.lists.set(id, { name: name ?? '', isClosed: one.closed === true, position })
    } else if (member === 'customFields') {
      const options = asJsonObjects(one.options).map((option) => {
        const text = asText(asJsonObject(option.value).text) ?? ''
        reading.hold(text)
        return [asText(option.id) ?? '', text] as const
      })
      reading.hold(id, name)
      board.customFields.set(id, { name: name ?? id, options: new Map(options) })
    } else if (member === 'cards') {
      reading.countRow()
      const list_id = asText(one.idList) ?? ''
      reading.hold(id, list_id)
      board.cards.push({ id, list_id, position: asPosition(one.pos) })
      for (const checklist of asJsonObjects(one.checklists)) {
        listFor(board.checklists, id).push(toChecklist(checklist, id, reading))
      }
    } else if (member === 'actions') {
      // Who has left the board is named only here.
      addPerson(one.memberCreator)
      addPerson(one.member)
      if (one.type === 'commentCard' || one.type === 'copyCommentCard')
        addComment(one, board, reading)
    } else if (member === 'checklists') {
      const cardId = asText(one.idCard)
      if (cardId !== null) listFor(board.checklists, cardId).push(toChecklist(one, cardId, reading))
    }
  }
  for (const checklists of board.checklists.values()) checklists.sort(byPosition)
  return board
}

function addComment(
  { date, memberCreator, data }: JsonObject,
  board: TrelloBoard,
  reading: SourceReading,
): void {
  const { card, text } = asJsonObject(data)
  const cardId = asText(asJsonObject(card).id)
  if (cardId === null) return
  const comments = listFor(board.comments, cardId)
  // Further comments would only use memory: a card keeps no more than these.
  if (comments.length > MAX_ROW_COMMENTS) return
  const [author, body] = [nameOf(asJsonObject(memberCreator)), asText(text) ?? '']
  reading.hold(cardId, author, body)
  comments.push({ author, at: asDay(date, reading.timezone), body })
}

function toChecklist(
  checklist: JsonObject,
  cardId: string,
  reading: SourceReading,
): TrelloChecklist {
  const name = asText(checklist.name) ?? ''
  reading.hold(cardId, name)
  const items = asJsonObjects(checklist.checkItems).map((item) => {
    const title = asText(item.name) ?? ''
    const [due, memberId] = [asText(item.due), asText(item.idMember)]
    reading.countRow()
    reading.hold(title, due, memberId)
    const isComplete = item.state === 'complete'
    return { id: asText(item.id), title, isComplete, due, memberId, position: asPosition(item.pos) }
  })
  return {
    id: asText(checklist.id),
    name,
    position: asPosition(checklist.pos),
    items: items.toSorted(byPosition),
  }
}

/** The numbers of the rows of the cards in the order of the board, with room for their subtasks. */
function numberCards({ cards, lists, checklists }: TrelloBoard): number[] {
  const numbered = new Set<string>()
  const places = cards.map(({ id, list_id, position }) => {
    // Only the first card of an id gets the checklists.
    const own = numbered.has(id) ? [] : (checklists.get(id) ?? [])
    numbered.add(id)
    const items = own.reduce((sum, checklist) => sum + checklist.items.length, 0)
    // Of several checklists, each becomes a subtask that holds its items.
    const rows = 1 + items + (own.length > 1 ? own.length : 0)
    return { rows, list: lists.get(list_id)?.position ?? Number.MAX_VALUE, position }
  })
  return numberRows(
    places,
    (a, b) => a.list - b.list || byPosition(a, b),
    ({ rows }) => rows,
  )
}

function listFor<T>(lists: Map<string, T[]>, cardId: string): T[] {
  const list = lists.get(cardId) ?? []
  lists.set(cardId, list)
  return list
}

/** Takes what belongs to a card out of the lists: another card with its id does not have it too. */
function takeFor<T>(lists: Map<string, T[]>, cardId: string | null): T[] {
  if (cardId === null) return []
  const list = lists.get(cardId) ?? []
  lists.delete(cardId)
  return list
}

/** The items of a card below it, or below a subtask for each checklist if there are several. */
function* toSubtasks(
  checklists: readonly TrelloChecklist[],
  card: SourceRow & { key: string | null },
  { people }: TrelloBoard,
  timezone: string,
): Generator<SourceRow> {
  let { number } = card
  const below = (parent: string | null, isComplete: boolean) => {
    number += 1
    const { project = '', status = null } = card
    return { number, project, parent, ...(isComplete ? { completed: true } : { status }) }
  }
  const hasSeveral = checklists.length > 1
  for (const [at, { id, name, items }] of checklists.entries()) {
    const key = id ?? `${card.key ?? ''}/${at + 1}`
    if (hasSeveral) {
      const isComplete = items.length > 0 && items.every((item) => item.isComplete)
      yield { ...below(card.key, isComplete), key, title: name || 'Checklist' }
    }
    const isNamed = !hasSeveral && !DEFAULT_CHECKLIST_NAME.test(name)
    for (const { id, title, isComplete, memberId, due } of items)
      yield {
        ...below(hasSeveral ? key : card.key, isComplete),
        key: id,
        title,
        assignees: memberId === null ? [] : [people.get(memberId) ?? memberId],
        ...asDue(due, timezone),
        extra: isNamed ? [['Checklist', name]] : [],
      }
  }
}

function toRow(card: JsonObject, board: TrelloBoard, timezone: string) {
  const ids = Array.isArray(card.idMembers) ? card.idMembers.flatMap((id) => asText(id) ?? []) : []
  const list = board.lists.get(asText(card.idList) ?? '')
  const address = [asText(card.locationName), asText(card.address)].filter(Boolean).join(', ')
  return {
    title: asText(card.name) ?? '',
    description: asText(card.desc),
    status: card.closed === true || list?.isClosed ? ARCHIVED : (list?.name ?? null),
    completed: card.dueComplete === true ? true : null,
    assignees: ids.map((id) => board.people.get(id) ?? id),
    tags: asJsonObjects(card.labels).map(({ name, color }) => ({
      name: asText(name) ?? asText(color),
      color: LABEL_COLORS.get(asText(color)?.replace(/_(dark|light)$/, '') ?? '') ?? null,
    })),
    project: board.name,
    start_date: asDay(card.start, timezone),
    ...asDue(card.due, timezone),
    notes: asJsonObjects(card.attachments).map(({ name, url, fileName }) =>
      toLinkNote('Attachment', asText(name) ?? asText(fileName), asText(url)),
    ),
    extra: [
      ...asJsonObjects(card.customFieldItems).map((item) => toExtraValue(item, board, timezone)),
      ['Location', address] as const,
      ['Template', card.isTemplate === true ? true : null] as const,
    ],
  }
}

/** Trello's names of label colors. */
const LABEL_COLORS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    green: '#22c55e',
    yellow: '#eab308',
    orange: '#f97316',
    red: '#ef4444',
    purple: '#a855f7',
    blue: '#3b82f6',
    sky: '#0ea5e9',
    lime: '#84cc16',
    pink: '#ec4899',
    black: '#1f2937',
  }),
)

/** A value of a custom field: a text, number, check mark, date, or an option of a list. */
function toExtraValue(
  item: JsonObject,
  { customFields }: TrelloBoard,
  timezone: string,
): ExtraValue {
  const field = customFields.get(asText(item.idCustomField) ?? '')
  const { text, number, checked, date } = asJsonObject(item.value)
  const amount = asText(number)
  const value =
    field?.options.get(asText(item.idValue) ?? '') ??
    (checked === undefined ? null : checked === true || checked === 'true') ??
    (amount === null ? null : Number(amount)) ??
    asDay(date, timezone) ??
    asText(text)
  return [field?.name ?? 'Custom field', value]
}

/** Counts what a card holds beside what its row has. */
function countOmissions(card: JsonObject, commentCount: number, omissions: OmissionCounter): void {
  const badges = asJsonObject(card.badges)
  const uploads = asJsonObjects(card.attachments).filter(
    ({ isUpload, url }) =>
      isUpload === true || (isUpload === undefined && /trello/.test(asText(url) ?? '')),
  )
  const hasList = Array.isArray(card.attachments)
  omissions.add('attachments', hasList ? uploads.length : asNumber(badges.attachments))
  // An export holds the latest thousand actions of a board, comments among them.
  omissions.add('comments', asNumber(badges.comments) - commentCount)
  const { idAttachment, color, idUploadedBackground } = asJsonObject(card.cover)
  if (asText(idAttachment) ?? asText(color) ?? asText(idUploadedBackground)) omissions.add('covers')
  // Trello writes the minutes before the due date, and -1 for none.
  if (asNumber(card.dueReminder) >= 0) omissions.add('reminders')
  omissions.add('stickers', asJsonObjects(card.stickers).length)
  const voters = Array.isArray(card.idMembersVoted) ? card.idMembersVoted.length : 0
  omissions.add('votes', Math.max(voters, asNumber(badges.votes) || 0))
  omissions.add('power_up_values', asJsonObjects(card.pluginData).length)
}
