import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFreshDockets } from '../support/engines/fresh-docket.ts'
import { assertImport, type ImportCase, importFile, refusalOf } from './imported-files.ts'

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

const list = (id: string, name: string, pos: number, more: object = {}) => ({
  id,
  name,
  pos,
  ...more,
})
const card = (id: string, name: string, pos: number, more: object = {}) => ({
  id,
  name,
  pos,
  idList: 'l1',
  ...more,
})
const LISTS = [list('l2', 'Second list', 2), list('l1', 'First list', 1)]

const BOARDS: (ImportCase & { board: object })[] = [
  {
    name: 'Order',
    board: {
      lists: [list('b', 'Second list', 2), list('a', 'First list', 1)],
      cards: [
        card('2', 'B', 2, { idList: 'b' }),
        card('1', 'A', 1, { idList: 'b' }),
        card('3', 'In first', 9, { idList: 'a' }),
      ],
      checklists: [
        {
          id: 'k',
          idCard: '1',
          name: 'Steps',
          checkItems: [
            {
              name: 'step 2',
              state: 'incomplete',
              pos: 2,
              idMember: 'm',
              due: '2026-12-01T10:00:00.000Z',
            },
            { name: 'step 1', state: 'incomplete', pos: 1 },
          ],
        },
      ],
      members: [{ id: 'm', fullName: 'The member' }],
      actions: [],
    },
    statuses: ['First list', 'Second list', 'Done', 'Canceled'],
    tasks: [
      { title: 'In first', status: 'First list' },
      { title: 'A', status: 'Second list' },
      { title: 'step 1', parent: 'A', custom_fields: { checklist: 'Steps' }, due_date: null },
      {
        title: 'step 2',
        parent: 'A',
        people: ['member'],
        due_date: '2026-12-01',
        due_at: '2026-12-01T10:00:00.000Z',
      },
      { title: 'B' },
    ],
  },
  {
    name: 'Several checklists of a card',
    board: {
      lists: LISTS,
      cards: [card('c', 'Build', 1)],
      checklists: [
        {
          id: 'k2',
          idCard: 'c',
          name: 'Backend',
          pos: 2,
          checkItems: [{ id: 'i3', name: 'API', state: 'complete', pos: 1 }],
        },
        {
          id: 'k1',
          idCard: 'c',
          name: 'Frontend',
          pos: 1,
          checkItems: [
            { id: 'i2', name: 'Table', state: 'complete', pos: 2 },
            { id: 'i1', name: 'Form', state: 'incomplete', pos: 1 },
          ],
        },
      ],
    },
    tasks: [
      { title: 'Build' },
      { title: 'Frontend', parent: 'Build', category: 'unstarted' },
      { title: 'Form', parent: 'Frontend', category: 'unstarted' },
      { title: 'Table', parent: 'Frontend', category: 'completed' },
      { title: 'Backend', parent: 'Build', category: 'completed' },
      { title: 'API', parent: 'Backend', category: 'completed' },
    ],
  },
  {
    name: 'A checklist that nobody named, and lists without cards',
    board: {
      lists: [...LISTS, list('l3', 'Waiting', 1.5), list('l4', 'Old', 4, { closed: true })],
      cards: [
        card('c', 'One', 1),
        card('d', 'Two', 1, { idList: 'l4' }),
        card('e', 'Three', 2, { closed: true }),
      ],
      checklists: [
        {
          id: 'k',
          idCard: 'c',
          name: 'Checklist',
          checkItems: [{ name: 'Step', state: 'incomplete' }],
        },
      ],
    },
    statuses: ['First list', 'Waiting', 'Second list', 'Archived', 'Canceled'],
    tasks: [
      { title: 'One', status: 'First list' },
      { title: 'Step', custom_fields: {} },
      { title: 'Three', status: 'Archived', category: 'completed' },
      { title: 'Two', status: 'Archived' },
    ],
  },
  {
    name: 'Attachments, covers, stickers and votes',
    board: {
      lists: LISTS,
      cards: [
        card('c', 'Poster', 1, {
          desc: 'Print it',
          attachments: [
            {
              name: 'plan (1).pdf',
              url: 'https://trello.com/1/cards/c/plan (1).pdf',
              isUpload: true,
            },
            { name: 'photo.png', url: 'https://trello.com/1/cards/c/photo.png', isUpload: true },
            { name: 'Design [v2]', url: 'https://design.example/a(b)', isUpload: false },
          ],
          cover: { idAttachment: 'a', color: null },
          stickers: [{ image: 'heart' }, { image: 'thumbsup' }, { image: 'clock' }],
          idMembersVoted: ['m1', 'm2'],
          pluginData: [{ value: '{}' }],
        }),
        card('d', 'Plain', 2, {
          dueReminder: 60,
          cover: { color: 'blue' },
          badges: { votes: 1, attachments: 2 },
        }),
      ],
    },
    left: { attachments: 4, covers: 2, stickers: 3, votes: 3, reminders: 1, power_up_values: 1 },
    tasks: [
      {
        title: 'Poster',
        description:
          'Print it\n\nAttachment: plan (1).pdf\nAttachment: [photo.png](https://trello.com/1/cards/c/photo.png)\nAttachment: [Design \\[v2\\]](https://design.example/a%28b%29)',
      },
      { title: 'Plain', description: null },
    ],
  },
  {
    name: 'Custom fields of every type',
    board: {
      lists: LISTS,
      customFields: [
        {
          id: 'f1',
          name: 'Größe',
          type: 'list',
          options: [{ id: 'o1', value: { text: 'L' } }],
        },
        { id: 'f2', name: 'Story Points', type: 'number' },
        { id: 'f3', name: 'Approved?', type: 'checkbox' },
        { id: 'f4', name: 'Launch', type: 'date' },
        { id: 'f5', name: 'Client', type: 'text' },
        { id: 'f6', name: '優先度', type: 'text' },
      ],
      cards: [
        card('c', 'One', 1, {
          customFieldItems: [
            { idCustomField: 'f1', idValue: 'o1', value: null },
            { idCustomField: 'f2', value: { number: '3.5' } },
            { idCustomField: 'f3', value: { checked: 'true' } },
            { idCustomField: 'f4', value: { date: '2026-05-01T12:00:00.000Z' } },
            { idCustomField: 'f5', value: { text: 'Acme' } },
            { idCustomField: 'f6', value: { text: '高' } },
          ],
        }),
      ],
    },
    tasks: [
      {
        title: 'One',
        custom_fields: {
          grosse: 'L',
          story_points: 3.5,
          approved: true,
          launch: '2026-05-01',
          client: 'Acme',
        },
        description: '優先度: 高',
      },
    ],
  },
  {
    name: 'People who have left the board',
    board: {
      lists: LISTS,
      actions: [
        {
          type: 'addMemberToCard',
          member: { id: 'gone', fullName: 'Gone Girl' },
          data: { card: { id: 'c' } },
        },
      ],
      cards: [card('c', 'One', 1, { idMembers: ['m', 'gone', 'unknown'] })],
      members: [{ id: 'm', fullName: 'The member' }],
    },
    tasks: [{ title: 'One', people: ['member'], description: 'Assigned to: Gone Girl, unknown' }],
  },
  {
    name: 'Comments beyond those in the file',
    board: {
      lists: LISTS,
      actions: [
        {
          type: 'commentCard',
          data: { text: 'Newer', card: { id: 'c' } },
          date: '2026-01-02T10:00:00Z',
        },
        {
          type: 'copyCommentCard',
          data: { text: 'Older', card: { id: 'c' } },
          date: '2026-01-01T10:00:00Z',
        },
        { type: 'updateCard', data: { card: { id: 'c' } } },
      ],
      cards: [card('c', 'One', 1, { badges: { comments: 7 } })],
    },
    left: { comments: 5 },
    tasks: [{ title: 'One', comments: ['*2026-01-01*\n\nOlder', '*2026-01-02*\n\nNewer'] }],
  },
  {
    name: 'Labels without names, with colors',
    board: {
      lists: LISTS,
      cards: [
        card('c', 'One', 1, {
          labels: [
            { name: '', color: 'green' },
            { name: 'Bug', color: 'red_dark' },
            { name: 'Plain', color: null },
            { name: '', color: null },
            { name: 'Odd', color: 'constructor' },
          ],
        }),
      ],
    },
    tasks: [{ title: 'One', tags: ['Bug', 'green', 'Odd', 'Plain'] }],
  },
  {
    name: 'Dates, places and templates',
    board: {
      lists: LISTS,
      cards: [
        card('c', 'One', 1, {
          start: '2026-03-01T00:00:00.000Z',
          due: '2026-03-31T10:00:00.000Z',
          dueComplete: true,
          locationName: 'Office',
          address: 'Main Street 1',
          isTemplate: true,
        }),
      ],
    },
    tasks: [
      {
        title: 'One',
        start_date: '2026-03-01',
        due_at: '2026-03-31T10:00:00.000Z',
        category: 'completed',
        custom_fields: { location: 'Office, Main Street 1', template: true, list: 'First list' },
      },
    ],
  },
  {
    name: 'Nothing but cards',
    board: { cards: [{ name: 'One' }, { name: 'Two', pos: 1 }, { name: 'Three' }] },
    tasks: [{ title: 'Two' }, { title: 'One' }, { title: 'Three' }],
  },
  {
    name: 'Checklists within the cards, as the API has them',
    board: {
      lists: LISTS,
      cards: [
        card('c', 'One', 1, {
          checklists: [
            { id: 'k', name: 'Steps', checkItems: [{ id: 'i', name: 'Step', state: 'complete' }] },
          ],
        }),
      ],
    },
    tasks: [{ title: 'One' }, { title: 'Step', parent: 'One', category: 'completed' }],
  },
]

test('imports Trello boards as they are seen, and counts what is left', async () => {
  const docket = await fresh('sqlite')
  for (const { board, tasks, ...expected } of BOARDS) {
    const { name } = expected
    const json = JSON.stringify({ name, desc: `About ${name}`, ...board })
    const projects = { [name]: tasks }
    const imported = await assertImport(docket, 'Board.json', json, {
      ...expected,
      kind: 'trello',
      projects,
    })
    assert.equal(imported.projects.get(name)?.project.description, `About ${name}`)
  }
})

test('takes the colors of Trello labels', async () => {
  const docket = await fresh('sqlite')
  const board = {
    name: 'Colors',
    cards: [card('c', 'One', 1, { labels: [{ name: 'Bug', color: 'red' }] })],
  }
  const { projects } = await importFile(docket, 'Board.json', JSON.stringify(board))
  assert.equal(projects.get('Colors')?.tags[0]?.color, '#ef4444')
  assert.match(
    await refusalOf(docket, 'Empty.json', '{"idOrganization":"o","cards":[]}'),
    /no_cards/,
  )
})
