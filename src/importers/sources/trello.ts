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
  type OmissionCounter,
  type SourceReader,
  type SourceReading,
  type SourceRow,
  toLinkNote,
} from './source.ts'

interface TrelloBoard {
  name: string
  description: string | null
  lists: Map<string, { name: string; isClosed: boolean; position: number }>
  people: Map<string, string>
  customFields: Map<string, { name: string; options: ReadonlyMap<string, string> }>
  cards: TrelloCard[]
  /** By the id of the card, newest first, as the export lists them. */
  comments: Map<string, ImportedComment[]>
  checklists: Map<string, TrelloChecklist[]>
}

/** A card, of which people, list and custom fields are known once the file is read. */
interface TrelloCard {
  row: SourceRow
  listId: string
  isClosed: boolean
  position: number
  memberIds: string[]
  fields: JsonObject[]
  commentCount: number
}

interface TrelloChecklist {
  id: string | null
  name: string
  position: number
  items: { row: SourceRow; memberId: string | null; position: number }[]
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
  const { name, description, lists, cards } = board
  const open = [...lists.values()].filter((list) => !list.isClosed && list.name !== '')
  const statuses = open.toSorted(byPosition).map((list) => ({ name: list.name }))
  const isArchived = ({ isClosed, listId }: TrelloCard) => isClosed || lists.get(listId)?.isClosed
  if (cards.some(isArchived)) statuses.push({ name: ARCHIVED })
  reading.projects.push({ name, description, statuses })
  const listPosition = ({ listId }: TrelloCard) => lists.get(listId)?.position ?? Number.MAX_VALUE
  for (const card of cards.toSorted(
    (a, b) => listPosition(a) - listPosition(b) || byPosition(a, b),
  )) {
    const { row, listId, memberIds, fields, commentCount } = card
    const key = row.key ?? null
    const comments = takeFor(board.comments, key).reverse()
    // An export holds the latest thousand actions of a board, comments among them.
    reading.omissions.add('comments', commentCount - comments.length)
    const status = isArchived(card) ? ARCHIVED : (lists.get(listId)?.name ?? null)
    const whole = {
      ...row,
      project: name,
      status,
      comments,
      assignees: memberIds.map((id) => board.people.get(id) ?? id),
      extra: [
        ...fields.map((field) => toExtraValue(field, board, reading.timezone)),
        ...(row.extra ?? []),
      ],
    }
    yield whole
    yield* toSubtasks(takeFor(board.checklists, key), whole, board)
  }
}

/** Reads the file to its end, because what the cards refer to may follow them. */
async function readBoard(reading: SourceReading): Promise<TrelloBoard> {
  const board: TrelloBoard = {
    name: '',
    description: null,
    lists: new Map(),
    people: new Map(),
    customFields: new Map(),
    cards: [],
    comments: new Map(),
    checklists: new Map(),
  }
  const addPerson = (value: unknown) => {
    const person = asJsonObject(value)
    const [id, name] = [asText(person.id), nameOf(person)]
    if (id !== null && name !== null && !board.people.has(id))
      board.people.set(id, reading.hold(name))
  }
  const addChecklist = (cardId: string | null, checklist: JsonObject) => {
    if (cardId !== null)
      listFor(board.checklists, cardId).push(reading.hold(toChecklist(checklist, reading)))
  }
  for await (const { member, value } of readJsonElements(decodeText(reading.file.bytes(), false))) {
    const one = asJsonObject(value)
    const [id, name] = [asText(one.id) ?? '', asText(one.name)]
    if (member === 'name') board.name = asText(value) ?? ''
    else if (member === 'desc') board.description = asText(value)
    else if (member === 'members') addPerson(one)
    else if (member === 'lists') {
      const position = asPosition(one.pos)
      const list = { name: name ?? '', isClosed: one.closed === true, position }
      board.lists.set(id, reading.hold(list))
    } else if (member === 'customFields') {
      const options = asJsonObjects(one.options).map(
        (option) =>
          [asText(option.id) ?? '', asText(asJsonObject(option.value).text) ?? ''] as const,
      )
      board.customFields.set(id, { name: name ?? id, options: new Map(reading.hold(options)) })
    } else if (member === 'cards') {
      board.cards.push(reading.hold(toCard(one, reading)))
      for (const checklist of asJsonObjects(one.checklists)) addChecklist(id, checklist)
    } else if (member === 'checklists') addChecklist(asText(one.idCard), one)
    else if (member === 'actions') {
      // Who has left the board is named only here.
      addPerson(one.memberCreator)
      addPerson(one.member)
      if (one.type === 'commentCard' || one.type === 'copyCommentCard')
        addComment(one, board, reading)
    }
  }
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
  comments.push(reading.hold({ author, at: asDay(date, reading.timezone), body }))
}

const toChecklist = (checklist: JsonObject, { timezone }: SourceReading): TrelloChecklist => ({
  id: asText(checklist.id),
  name: asText(checklist.name) ?? '',
  position: asPosition(checklist.pos),
  items: asJsonObjects(checklist.checkItems)
    .map((item) => ({
      memberId: asText(item.idMember),
      position: asPosition(item.pos),
      row: {
        key: asText(item.id),
        title: asText(item.name) ?? '',
        completed: item.state === 'complete' ? true : null,
        ...asDue(item.due, timezone),
      },
    }))
    .toSorted(byPosition),
})

function listFor<T>(lists: Map<string, T[]>, cardId: string): T[] {
  const list = lists.get(cardId) ?? []
  lists.set(cardId, list)
  return list
}

/** Takes what belongs to a card out of the lists: another card with its id does not have it too. */
function takeFor<T>(lists: Map<string, T[]>, cardId: string | null): T[] {
  const list = lists.get(cardId ?? '') ?? []
  lists.delete(cardId ?? '')
  return cardId === null ? [] : list
}

/** The items of a card below it, or below a subtask for each checklist if there are several. */
function* toSubtasks(
  checklists: readonly TrelloChecklist[],
  { key = null, project = '', status = null }: SourceRow,
  { people }: TrelloBoard,
): Generator<SourceRow> {
  const below = (parent: string | null, { completed = null, ...row }: SourceRow) => ({
    ...row,
    project,
    parent,
    ...(completed ? { completed } : { status }),
  })
  const hasSeveral = checklists.length > 1
  for (const [at, { id, name, items }] of checklists.toSorted(byPosition).entries()) {
    const own = id ?? `${key ?? ''}/${at + 1}`
    if (hasSeveral) {
      const completed = items.length > 0 && items.every(({ row }) => row.completed)
      yield below(key, { key: own, title: name || 'Checklist', completed })
    }
    const isNamed = !hasSeveral && !DEFAULT_CHECKLIST_NAME.test(name)
    for (const { row, memberId } of items)
      yield {
        ...below(hasSeveral ? own : key, row),
        assignees: memberId === null ? [] : [people.get(memberId) ?? memberId],
        extra: isNamed ? [['Checklist', name]] : [],
      }
  }
}

function toCard(card: JsonObject, { timezone, omissions }: SourceReading): TrelloCard {
  countOmissions(card, omissions)
  const address = [asText(card.locationName), asText(card.address)].filter(Boolean).join(', ')
  return {
    listId: asText(card.idList) ?? '',
    isClosed: card.closed === true,
    position: asPosition(card.pos),
    memberIds: Array.isArray(card.idMembers)
      ? card.idMembers.flatMap((id) => asText(id) ?? [])
      : [],
    fields: asJsonObjects(card.customFieldItems),
    commentCount: asNumber(asJsonObject(card.badges).comments),
    row: {
      key: asText(card.id),
      title: asText(card.name) ?? '',
      description: asText(card.desc),
      completed: card.dueComplete === true ? true : null,
      tags: asJsonObjects(card.labels).map(({ name, color }) => ({
        name: asText(name) ?? asText(color),
        color: LABEL_COLORS.get(asText(color)?.replace(/_(dark|light)$/, '') ?? '') ?? null,
      })),
      start_date: asDay(card.start, timezone),
      ...asDue(card.due, timezone),
      notes: asJsonObjects(card.attachments).map(({ name, url, fileName }) =>
        toLinkNote('Attachment', asText(name) ?? asText(fileName), asText(url)),
      ),
      extra: [
        ['Location', address],
        ['Template', card.isTemplate === true ? true : null],
      ],
    },
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
function countOmissions(card: JsonObject, omissions: OmissionCounter): void {
  const badges = asJsonObject(card.badges)
  const uploads = asJsonObjects(card.attachments).filter(
    ({ isUpload, url }) =>
      isUpload === true || (isUpload === undefined && /trello/.test(asText(url) ?? '')),
  )
  const hasList = Array.isArray(card.attachments)
  omissions.add('attachments', hasList ? uploads.length : asNumber(badges.attachments))
  const { idAttachment, color, idUploadedBackground } = asJsonObject(card.cover)
  if (asText(idAttachment) ?? asText(color) ?? asText(idUploadedBackground)) omissions.add('covers')
  // Trello writes the minutes before the due date, and -1 for none.
  if (asNumber(card.dueReminder) >= 0) omissions.add('reminders')
  omissions.add('stickers', asJsonObjects(card.stickers).length)
  const voters = Array.isArray(card.idMembersVoted) ? card.idMembersVoted.length : 0
  omissions.add('votes', Math.max(voters, asNumber(badges.votes) || 0))
  omissions.add('power_up_values', asJsonObjects(card.pluginData).length)
}
