import {
  emptyImportedTask,
  type ImportedComment,
  type ImportedTask,
} from '#resources/imports/imported-task.ts'
import { decodeText } from '../formats/decode-text.ts'
import { readJsonElements } from '../formats/json-elements.ts'
import {
  asDay,
  asDue,
  asJsonObject,
  asJsonObjects,
  asText,
  type JsonObject,
} from '../formats/json-values.ts'
import { tooManyTasks, UnreadableFileError } from '../formats/unreadable-file-error.ts'
import { MAX_ROW_COMMENTS } from '../mapping/validate-row.ts'
import type { ImportFile, ParsedRow, ReaderContext, SourceReader } from './source-reader.ts'

/** Reads the JSON export of a Trello board: lists become statuses, items of checklists subtasks. */
export const readTrello: SourceReader = async (source, _, context) => {
  const board = await readBoard(source, context)
  return { rows: parseRows(source, board, context) }
}

interface TrelloBoard {
  name: string
  lists: Map<string, string>
  people: Map<string, string>
  /** Newest first, as the export lists them. */
  comments: Map<string, ImportedComment[]>
  items: Map<string, Pick<ImportedTask, 'title' | 'completed'>[]>
}

/** In characters: what is held in memory while the cards are read. */
const MAX_HELD_LENGTH = 67_108_864
/** What an entry takes beside its texts, which may be empty. */
const ENTRY_LENGTH = 512
const ARCHIVED = 'Archived'

/** Reads what the cards refer to in a first pass, because it may follow them in the file. */
async function readBoard(
  source: ImportFile,
  { maxRows, timezone }: ReaderContext,
): Promise<TrelloBoard> {
  const board: TrelloBoard = {
    name: '',
    ...{ lists: new Map(), people: new Map(), comments: new Map(), items: new Map() },
  }
  let heldLength = 0
  let itemCount = 0
  const countHeld = (...texts: (string | null)[]) => {
    heldLength += texts.reduce((sum, text) => sum + (text?.length ?? 0), ENTRY_LENGTH)
    if (heldLength > MAX_HELD_LENGTH)
      throw new UnreadableFileError('The board has too many comments and checklists.')
  }
  const addName = (names: Map<string, string>, id: string, name: string) => {
    countHeld(id, name)
    names.set(id, name)
  }
  for await (const { member, value } of readJsonElements(decodeText(source.bytes(), false))) {
    const one = asJsonObject(value)
    const id = asText(one.id) ?? ''
    if (member === 'name') board.name = asText(value) ?? ''
    else if (member === 'lists')
      addName(board.lists, id, one.closed === true ? ARCHIVED : (asText(one.name) ?? ''))
    else if (member === 'members')
      addName(board.people, id, asText(one.fullName) ?? asText(one.username) ?? id)
    else if (member === 'actions' && one.type === 'commentCard') {
      const { card, text: comment } = asJsonObject(one.data)
      const cardId = asText(asJsonObject(card).id)
      if (cardId === null) continue
      const comments = listFor(board.comments, cardId)
      // Further comments would only use memory: the card is rejected for those that it has.
      if (comments.length > MAX_ROW_COMMENTS) continue
      const person = asJsonObject(one.memberCreator)
      const author = asText(person.fullName) ?? asText(person.username)
      const body = asText(comment) ?? ''
      countHeld(cardId, author, body)
      comments.push({ author, at: asDay(one.date, timezone), body })
    } else if (member === 'checklists') {
      const cardId = asText(one.idCard)
      if (cardId === null) continue
      countHeld(cardId)
      const items = listFor(board.items, cardId)
      for (const item of asJsonObjects(one.checkItems)) {
        itemCount += 1
        if (itemCount > maxRows) throw tooManyTasks(maxRows)
        const title = asText(item.name) ?? ''
        countHeld(title)
        items.push({ title, completed: item.state === 'complete' })
      }
    }
  }
  return board
}

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
  { timezone }: ReaderContext,
): AsyncGenerator<ParsedRow> {
  let number = 0
  let isBoard = false
  for await (const { member, value } of readJsonElements(decodeText(source.bytes(), false))) {
    if (member !== 'cards') continue
    isBoard = true
    const card = asJsonObject(value)
    number += 1
    const key = asText(card.id)
    const parent = { ...toRow(card, board, number, timezone), key }
    if (key !== null) parent.comments = takeFor(board.comments, key).reverse()
    yield { row: parent, warnings: [] }
    for (const item of key === null ? [] : takeFor(board.items, key)) {
      number += 1
      const { project, status } = parent
      const subtask = { ...emptyImportedTask(number), ...item, project, parent: key }
      yield { row: item.completed ? subtask : { ...subtask, status }, warnings: [] }
    }
  }
  if (!isBoard) throw new UnreadableFileError('The file holds no cards of a Trello board.')
}

function toRow(
  card: JsonObject,
  { name, lists, people }: TrelloBoard,
  number: number,
  timezone: string,
): ImportedTask {
  const ids = Array.isArray(card.idMembers) ? card.idMembers.map(asText) : []
  return {
    ...emptyImportedTask(number),
    title: asText(card.name) ?? '',
    description: asText(card.desc),
    status: card.closed === true ? ARCHIVED : (lists.get(asText(card.idList) ?? '') ?? null),
    completed: card.dueComplete === true ? true : null,
    assignees: [...new Set(ids.flatMap((id) => people.get(id ?? '') ?? []))],
    tags: [
      ...new Set(
        asJsonObjects(card.labels).flatMap((one) => asText(one.name) ?? asText(one.color) ?? []),
      ),
    ],
    project: name,
    start_date: asDay(card.start, timezone),
    ...asDue(card.due, timezone),
  }
}
