import {
  emptyImportedTask,
  type ImportedComment,
  type ImportedTask,
} from '#resources/imports/imported-task.ts'
import { decodeText } from '../formats/decode-text.ts'
import { readJsonElements } from '../formats/json-elements.ts'
import {
  asDay,
  asJsonObject,
  asJsonObjects,
  asText,
  type JsonObject,
} from '../formats/json-values.ts'
import { UnreadableFileError } from '../formats/unreadable-file-error.ts'
import type { ImportFile, ParsedRow, SourceReader } from './source-reader.ts'

/** Reads the JSON export of a Trello board: lists become statuses, items of checklists subtasks. */
export const readTrello: SourceReader = async (source) => {
  const board = await readBoard(source)
  return { rows: parseRows(source, board) }
}

interface TrelloBoard {
  name: string
  lists: Map<string, string>
  people: Map<string, string>
  comments: Map<string, ImportedComment[]>
  items: Map<string, Pick<ImportedTask, 'title' | 'completed'>[]>
}

/** In characters: comments and checklists that are held in memory while the cards are read. */
const MAX_HELD_LENGTH = 67_108_864
const ARCHIVED = 'Archived'

/** Reads what the cards refer to in a first pass, because it may follow them in the file. */
async function readBoard(source: ImportFile): Promise<TrelloBoard> {
  const board: TrelloBoard = {
    name: '',
    ...{ lists: new Map(), people: new Map(), comments: new Map(), items: new Map() },
  }
  let heldLength = 0
  const countHeld = (held: string) => {
    heldLength += held.length
    if (heldLength > MAX_HELD_LENGTH)
      throw new UnreadableFileError('The board has too many comments and checklists.')
  }
  for await (const { member, value } of readJsonElements(decodeText(source.bytes(), false))) {
    const one = asJsonObject(value)
    const id = asText(one.id) ?? ''
    if (member === 'name') board.name = asText(value) ?? ''
    else if (member === 'lists')
      board.lists.set(id, one.closed === true ? ARCHIVED : (asText(one.name) ?? ''))
    else if (member === 'members')
      board.people.set(id, asText(one.fullName) ?? asText(one.username) ?? id)
    else if (member === 'actions' && one.type === 'commentCard') {
      const { card, text: comment } = asJsonObject(one.data)
      const author = asJsonObject(one.memberCreator)
      const body = asText(comment) ?? ''
      countHeld(body)
      const at = asDay(one.date)
      // The export lists the newest comments first.
      listFor(board.comments, asText(asJsonObject(card).id)).unshift({
        author: asText(author.fullName) ?? asText(author.username),
        at,
        body,
      })
    } else if (member === 'checklists') {
      for (const item of asJsonObjects(one.checkItems)) {
        const title = asText(item.name) ?? ''
        countHeld(title)
        listFor(board.items, asText(one.idCard)).push({
          title,
          completed: item.state === 'complete',
        })
      }
    }
    if (member !== 'cards') countHeld(id)
  }
  return board
}

function listFor<T>(lists: Map<string, T[]>, id: string | null): T[] {
  const list = lists.get(id ?? '') ?? []
  lists.set(id ?? '', list)
  return list
}

async function* parseRows(source: ImportFile, board: TrelloBoard): AsyncGenerator<ParsedRow> {
  let number = 0
  let isBoard = false
  for await (const { member, value } of readJsonElements(decodeText(source.bytes(), false))) {
    if (member !== 'cards') continue
    isBoard = true
    const card = asJsonObject(value)
    number += 1
    const parent = toRow(card, board, number)
    yield { row: parent, faults: [] }
    for (const item of board.items.get(parent.key ?? '') ?? []) {
      number += 1
      const { key, project, status } = parent
      const subtask = { ...emptyImportedTask(number), ...item, project, parent: key }
      yield { row: item.completed ? subtask : { ...subtask, status }, faults: [] }
    }
  }
  if (!isBoard) throw new UnreadableFileError('The file holds no cards of a Trello board.')
}

function toRow(
  card: JsonObject,
  { name, lists, people, comments }: TrelloBoard,
  number: number,
): ImportedTask {
  const key = asText(card.id)
  const ids = Array.isArray(card.idMembers) ? card.idMembers.map(asText) : []
  return {
    ...emptyImportedTask(number),
    key,
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
    start_date: asDay(card.start),
    due_date: asDay(card.due),
    comments: comments.get(key ?? '') ?? [],
  }
}
