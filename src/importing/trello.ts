import { emptyRow, type Row, type Said } from '#resources/imports/row.ts'
import { elementsOf } from './elements.ts'
import { day, type Thing, text, thing, things } from './parts.ts'
import type { Read, Reader, Source } from './reading.ts'
import { textOf } from './text.ts'
import { Unreadable } from './unreadable.ts'

/** The JSON export of a board of Trello: lists are statuses, items of checklists are subtasks. */
export const readTrello: Reader = async (source) => {
  const board = await boardOf(source)
  return { rows: rowsOf(source, board) }
}

interface Board {
  name: string
  lists: Map<string, string>
  people: Map<string, string>
  comments: Map<string, Said[]>
  items: Map<string, Pick<Row, 'title' | 'completed'>[]>
}

/** Characters of comments and checklists that are held while the cards go by. */
const MOST_HELD = 67_108_864
const ARCHIVED = 'Archived'

/** What the cards refer to: it may stand behind them. */
async function boardOf(source: Source): Promise<Board> {
  const board: Board = {
    name: '',
    ...{ lists: new Map(), people: new Map(), comments: new Map(), items: new Map() },
  }
  let held = 0
  const hold = (words: string) => {
    held += words.length
    if (held > MOST_HELD) throw new Unreadable('The board has too many comments and checklists.')
  }
  for await (const { of, value } of elementsOf(textOf(source.bytes(), false))) {
    const one = thing(value)
    const id = text(one.id) ?? ''
    if (of === 'name') board.name = text(value) ?? ''
    else if (of === 'lists')
      board.lists.set(id, one.closed === true ? ARCHIVED : (text(one.name) ?? ''))
    else if (of === 'members') board.people.set(id, text(one.fullName) ?? text(one.username) ?? id)
    else if (of === 'actions' && one.type === 'commentCard') {
      const { card, text: said } = thing(one.data)
      const author = thing(one.memberCreator)
      const body = text(said) ?? ''
      hold(body)
      const at = day(one.date)
      // The newest stand first.
      listIn(board.comments, text(thing(card).id)).unshift({
        author: text(author.fullName) ?? text(author.username),
        at,
        body,
      })
    } else if (of === 'checklists') {
      for (const item of things(one.checkItems)) {
        const title = text(item.name) ?? ''
        hold(title)
        listIn(board.items, text(one.idCard)).push({ title, completed: item.state === 'complete' })
      }
    }
    if (of !== 'cards') hold(id)
  }
  return board
}

function listIn<T>(lists: Map<string, T[]>, id: string | null): T[] {
  const list = lists.get(id ?? '') ?? []
  lists.set(id ?? '', list)
  return list
}

async function* rowsOf(source: Source, board: Board): AsyncGenerator<Read> {
  let number = 0
  let isBoard = false
  for await (const { of, value } of elementsOf(textOf(source.bytes(), false))) {
    if (of !== 'cards') continue
    isBoard = true
    const card = thing(value)
    number += 1
    const parent = cardOf(card, board, number)
    yield { row: parent, faults: [] }
    for (const item of board.items.get(parent.key ?? '') ?? []) {
      number += 1
      const { key, project, status } = parent
      const subtask = { ...emptyRow(number), ...item, project, parent: key }
      yield { row: item.completed ? subtask : { ...subtask, status }, faults: [] }
    }
  }
  if (!isBoard) throw new Unreadable('The file holds no cards of a Trello board.')
}

function cardOf(card: Thing, { name, lists, people, comments }: Board, number: number): Row {
  const key = text(card.id)
  const ids = Array.isArray(card.idMembers) ? card.idMembers.map(text) : []
  return {
    ...emptyRow(number),
    key,
    title: text(card.name) ?? '',
    description: text(card.desc),
    status: card.closed === true ? ARCHIVED : (lists.get(text(card.idList) ?? '') ?? null),
    completed: card.dueComplete === true ? true : null,
    assignees: [...new Set(ids.flatMap((id) => people.get(id ?? '') ?? []))],
    tags: [
      ...new Set(things(card.labels).flatMap((one) => text(one.name) ?? text(one.color) ?? [])),
    ],
    project: name,
    start_date: day(card.start),
    due_date: day(card.due),
    comments: comments.get(key ?? '') ?? [],
  }
}
