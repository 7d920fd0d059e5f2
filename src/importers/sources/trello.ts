import {
  emptyImportedTask,
  type ImportedComment,
  type ImportedTask,
} from '#resources/imports/imported-task.ts'
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
import { tooManyTasks, UnreadableFileError } from '../formats/unreadable-file-error.ts'
import { MAX_ROW_COMMENTS } from '../mapping/fit-row.ts'
import {
  createOmissionCounter,
  type ExtraValue,
  type OmissionCounter,
  toLinkNote,
  withExtraValues,
} from './extra-values.ts'
import { numberRows } from './row-numbers.ts'
import type { ImportFile, ParsedRow, ReaderContext, SourceReader } from './source-reader.ts'

/**
 * Reads the JSON export of a Trello board: lists become statuses, items of checklists subtasks. The
 * order is that of the board, not of the file.
 */
export const readTrello: SourceReader = async (source, _, context) => {
  const board = await readBoard(source, context)
  const omissions = createOmissionCounter()
  return {
    rows: parseRows(source, board, context, omissions),
    rest: () => ({
      projects: [
        {
          name: board.name,
          description: board.description,
          statuses: [...openLists(board), ...(board.hasArchived ? [{ name: ARCHIVED }] : [])],
        },
      ],
      not_taken_over: omissions.list(),
    }),
  }
}

const openLists = ({ lists }: TrelloBoard) =>
  [...lists.values()]
    .filter(({ name, isClosed }) => !isClosed && name !== '')
    .toSorted(byPosition)
    .map(({ name }) => ({ name }))

interface TrelloBoard {
  name: string
  description: string | null
  lists: Map<string, TrelloList>
  people: Map<string, string>
  /** Newest first, as the export lists them. */
  comments: Map<string, ImportedComment[]>
  checklists: Map<string, TrelloChecklist[]>
  customFields: Map<string, TrelloField>
  hasArchived: boolean
  /** The number of each card's row, in the order of the file. */
  numbers: number[]
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

interface TrelloField {
  name: string
  options: ReadonlyMap<string, string>
}

/** In characters: what is held in memory while the cards are read. */
const MAX_HELD_LENGTH = 67_108_864
/** What an entry takes beside its texts, which may be empty. */
const ENTRY_LENGTH = 512
const ARCHIVED = 'Archived'
/** What Trello calls a checklist that nobody has named, in some languages. */
const DEFAULT_CHECKLIST_NAME = /^(checklist|checkliste|lista de verificación|liste de contrôle)$/i

/** What has no position keeps its place at the end. */
const asPosition = (value: unknown): number => {
  const position = asNumber(value)
  return Number.isFinite(position) ? position : Number.MAX_VALUE
}
const byPosition = (a: { position: number }, b: { position: number }) => a.position - b.position

/** Reads what the cards refer to in a first pass, because it may follow them in the file. */
async function readBoard(
  source: ImportFile,
  { maxRows, timezone }: ReaderContext,
): Promise<TrelloBoard> {
  const board: TrelloBoard = {
    name: '',
    description: null,
    hasArchived: false,
    numbers: [],
    lists: new Map(),
    people: new Map(),
    comments: new Map(),
    checklists: new Map(),
    customFields: new Map(),
  }
  const cards: CardPlace[] = []
  let heldLength = 0
  let itemCount = 0
  const countHeld = (...texts: (string | null)[]) => {
    heldLength += texts.reduce((sum, text) => sum + (text?.length ?? 0), ENTRY_LENGTH)
    if (heldLength > MAX_HELD_LENGTH) throw new UnreadableFileError('too_many_entries')
  }
  const countRow = () => {
    itemCount += 1
    if (itemCount > maxRows) throw tooManyTasks(maxRows)
  }
  const addPerson = (value: unknown) => {
    const person = asJsonObject(value)
    const id = asText(person.id)
    const name = asText(person.fullName) ?? asText(person.username)
    if (id === null || name === null || board.people.has(id)) return
    countHeld(id, name)
    board.people.set(id, name)
  }
  const addComment = ({ date, memberCreator, data }: JsonObject) => {
    const { card, text: comment } = asJsonObject(data)
    const cardId = asText(asJsonObject(card).id)
    if (cardId === null) return
    const comments = listFor(board.comments, cardId)
    // Further comments would only use memory: a card keeps no more than these.
    if (comments.length > MAX_ROW_COMMENTS) return
    const person = asJsonObject(memberCreator)
    const author = asText(person.fullName) ?? asText(person.username)
    const body = asText(comment) ?? ''
    countHeld(cardId, author, body)
    comments.push({ author, at: asDay(date, timezone), body })
  }
  const addChecklist = (checklist: JsonObject, cardId: string) => {
    const name = asText(checklist.name) ?? ''
    countHeld(cardId, name)
    const items = asJsonObjects(checklist.checkItems).map((item) => {
      countRow()
      const title = asText(item.name) ?? ''
      const [due, memberId] = [asText(item.due), asText(item.idMember)]
      countHeld(title, due, memberId)
      return {
        id: asText(item.id),
        title,
        isComplete: item.state === 'complete',
        due,
        memberId,
        position: asPosition(item.pos),
      }
    })
    listFor(board.checklists, cardId).push({
      id: asText(checklist.id),
      name,
      position: asPosition(checklist.pos),
      items: items.toSorted(byPosition),
    })
  }
  for await (const { member, value } of readJsonElements(decodeText(source.bytes(), false))) {
    const one = asJsonObject(value)
    const id = asText(one.id) ?? ''
    if (member === 'name') board.name = asText(value) ?? ''
    else if (member === 'desc') board.description = asText(value)
    else if (member === 'lists') {
      const name = asText(one.name) ?? ''
      countHeld(id, name)
      board.lists.set(id, { name, isClosed: one.closed === true, position: asPosition(one.pos) })
    } else if (member === 'members') addPerson(one)
    else if (member === 'customFields') {
      const name = asText(one.name) ?? id
      const options = asJsonObjects(one.options).map((option) => {
        const text = asText(asJsonObject(option.value).text) ?? ''
        countHeld(text)
        return [asText(option.id) ?? '', text] as const
      })
      countHeld(id, name)
      board.customFields.set(id, { name, options: new Map(options) })
    } else if (member === 'cards') {
      countRow()
      const list_id = asText(one.idList) ?? ''
      countHeld(id, list_id)
      cards.push({ id, list_id, position: asPosition(one.pos) })
      for (const checklist of asJsonObjects(one.checklists)) addChecklist(checklist, id)
    } else if (member === 'actions') {
      // Who has left the board is named only here.
      addPerson(one.memberCreator)
      addPerson(one.member)
      if (one.type === 'commentCard' || one.type === 'copyCommentCard') addComment(one)
    } else if (member === 'checklists') {
      const cardId = asText(one.idCard)
      if (cardId !== null) addChecklist(one, cardId)
    }
  }
  for (const checklists of board.checklists.values()) checklists.sort(byPosition)
  return { ...board, numbers: await numberCards(cards, board) }
}

interface CardPlace {
  id: string
  list_id: string
  position: number
}

/** The numbers of the rows of the cards in the order of the board, with room for their subtasks. */
function numberCards(
  cards: readonly CardPlace[],
  { lists, checklists }: Pick<TrelloBoard, 'lists' | 'checklists'>,
): Promise<number[]> {
  const numbered = new Set<string>()
  const places = cards.map(({ id, list_id, position }) => {
    // Only the first card of an id gets the checklists.
    const own = numbered.has(id) ? [] : (checklists.get(id) ?? [])
    numbered.add(id)
    const list = lists.get(list_id)?.position ?? Number.MAX_VALUE
    return { rows: 1 + countSubtasks(own), list, position }
  })
  return numberRows(places, (a, b) => a.list - b.list || byPosition(a, b))
}

/** Items, and the subtasks that hold them if a card has several checklists. */
const countSubtasks = (checklists: readonly TrelloChecklist[]): number =>
  checklists.reduce((sum, { items }) => sum + items.length, 0) +
  (checklists.length > 1 ? checklists.length : 0)

function listFor<T>(lists: Map<string, T[]>, cardId: string): T[] {
  const list = lists.get(cardId) ?? []
  lists.set(cardId, list)
  return list
}

/** Takes what belongs to a card out of the lists: another card with its id does not have it too. */
function takeFor<T>(lists: Map<string, T[]>, cardId: string): T[] {
  const list = lists.get(cardId) ?? []
  lists.delete(cardId)
  return list
}

async function* parseRows(
  source: ImportFile,
  board: TrelloBoard,
  context: ReaderContext,
  omissions: OmissionCounter,
): AsyncGenerator<ParsedRow> {
  let cardCount = 0
  let isBoard = false
  for await (const { member, value } of readJsonElements(decodeText(source.bytes(), false))) {
    if (member !== 'cards') continue
    isBoard = true
    const card = asJsonObject(value)
    const number = board.numbers[cardCount] ?? cardCount + 1
    cardCount += 1
    const key = asText(card.id)
    const parent = { ...toRow(card, board, number, context), key }
    board.hasArchived ||= parent.status === ARCHIVED
    if (key !== null) parent.comments = takeFor(board.comments, key).reverse()
    countOmissions(card, parent.comments.length, omissions)
    yield { row: parent, warnings: [] }
    const checklists = key === null ? [] : takeFor(board.checklists, key)
    for (const row of toSubtasks(checklists, parent, board.people, context.timezone))
      yield { row, warnings: [] }
  }
  if (!isBoard) throw new UnreadableFileError('no_cards')
}

/** The items of a card below it, or below a subtask for each checklist if there are several. */
function* toSubtasks(
  checklists: readonly TrelloChecklist[],
  card: ImportedTask,
  people: ReadonlyMap<string, string>,
  timezone: string,
): Generator<ImportedTask> {
  let number = card.number
  const below = (parent: string | null, isComplete: boolean): ImportedTask => {
    number += 1
    const { project, status } = card
    const row = { ...emptyImportedTask(number), project, parent }
    return isComplete ? { ...row, completed: true } : { ...row, status }
  }
  const hasSeveral = checklists.length > 1
  for (const [at, { id, name, items }] of checklists.entries()) {
    const key = id ?? `${card.key ?? ''}/${at + 1}`
    if (hasSeveral) {
      const isComplete = items.length > 0 && items.every((item) => item.isComplete)
      yield { ...below(card.key, isComplete), key, title: name || 'Checklist' }
    }
    for (const item of items) {
      const assignee = item.memberId === null ? [] : [people.get(item.memberId) ?? item.memberId]
      const subtask = {
        ...below(hasSeveral ? key : card.key, item.isComplete),
        key: item.id,
        title: item.title,
        assignees: assignee,
        ...asDue(item.due, timezone),
      }
      const isNamed = !hasSeveral && !DEFAULT_CHECKLIST_NAME.test(name)
      yield withExtraValues(subtask, isNamed ? [['Checklist', name]] : [])
    }
  }
}

function toRow(
  card: JsonObject,
  { name, lists, people, customFields }: TrelloBoard,
  number: number,
  { timezone }: ReaderContext,
): ImportedTask {
  const ids = Array.isArray(card.idMembers) ? card.idMembers.flatMap((id) => asText(id) ?? []) : []
  const list = lists.get(asText(card.idList) ?? '')
  const labels = asJsonObjects(card.labels).flatMap(({ name: label, color }) => {
    const tag = asText(label) ?? asText(color)
    return tag === null ? [] : [{ tag, color: asText(color) }]
  })
  const attachments = asJsonObjects(card.attachments).map(({ name: label, url, fileName }) =>
    toLinkNote('Attachment', asText(label) ?? asText(fileName), asText(url)),
  )
  const row: ImportedTask = {
    ...emptyImportedTask(number),
    title: asText(card.name) ?? '',
    description: asText(card.desc),
    status: card.closed === true || list?.isClosed ? ARCHIVED : (list?.name ?? null),
    completed: card.dueComplete === true ? true : null,
    assignees: [...new Set(ids.map((id) => people.get(id) ?? id))],
    tags: [...new Set(labels.map(({ tag }) => tag))],
    tag_colors: Object.fromEntries(
      labels.flatMap(({ tag, color }) => {
        const code = LABEL_COLORS.get(color?.replace(/_(dark|light)$/, '') ?? '')
        return code === undefined ? [] : [[tag, code] as const]
      }),
    ),
    project: name,
    start_date: asDay(card.start, timezone),
    ...asDue(card.due, timezone),
    ...(attachments.length > 0 && { notes: attachments }),
  }
  return withExtraValues(row, [
    ...asJsonObjects(card.customFieldItems).map((item) =>
      toExtraValue(item, customFields, timezone),
    ),
    ['Location', [asText(card.locationName), asText(card.address)].filter(Boolean).join(', ')],
    ['Template', card.isTemplate === true ? true : null],
  ])
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
  fields: TrelloBoard['customFields'],
  timezone: string,
): ExtraValue {
  const id = asText(item.idCustomField) ?? ''
  const field = fields.get(id)
  const { text, number, checked, date } = asJsonObject(item.value)
  const day = date === undefined ? null : asDay(date, timezone)
  const amount = asText(number)
  const value =
    field?.options.get(asText(item.idValue) ?? '') ??
    (checked === undefined ? null : checked === true || checked === 'true') ??
    (amount === null ? null : Number(amount)) ??
    day ??
    asText(text)
  return [field?.name ?? 'Custom field', value]
}

/** Counts what a card holds beside what its row has. */
function countOmissions(card: JsonObject, commentCount: number, omissions: OmissionCounter): void {
  const badges = asJsonObject(card.badges)
  const attachments = asJsonObjects(card.attachments)
  const isUpload = ({ isUpload, url }: JsonObject) =>
    isUpload === true || (isUpload === undefined && /trello/.test(asText(url) ?? ''))
  const hasList = Array.isArray(card.attachments)
  omissions.add(
    'attachments',
    hasList ? attachments.filter(isUpload).length : asNumber(badges.attachments) || 0,
  )
  // An export holds the latest thousand actions of a board, comments among them.
  omissions.add('comments', (asNumber(badges.comments) || 0) - commentCount)
  const { idAttachment, color, idUploadedBackground } = asJsonObject(card.cover)
  if (asText(idAttachment) ?? asText(color) ?? asText(idUploadedBackground)) omissions.add('covers')
  // Trello writes the minutes before the due date, and -1 for none.
  if (asNumber(card.dueReminder) >= 0) omissions.add('reminders')
  omissions.add('stickers', asJsonObjects(card.stickers).length)
  const voters = Array.isArray(card.idMembersVoted) ? card.idMembersVoted.length : 0
  omissions.add('votes', Math.max(voters, asNumber(badges.votes) || 0))
  omissions.add('power_up_values', asJsonObjects(card.pluginData).length)
}
