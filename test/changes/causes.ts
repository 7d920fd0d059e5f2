import { emptyTrash } from '#jobs/purges.ts'
import {
  createHistoryWorld,
  type DocketWorld,
  type HistoryDocket,
  type HistoryPerson,
  write,
} from './history-world.ts'

/** A small workspace in which every cause of a change can happen twice. */
export interface CauseWorld extends DocketWorld {
  /** Two tasks with a comment each, and two such that are deleted; another task stays as it is. */
  task: [string, string]
  deleted: [string, string]
  comment: [string, string]
  timeEntry: [string, string]
  attachment: [string, string]
  tag: [string, string]
}

type Pair = [string, string]
type Turn = 0 | 1

/** Something that must reach a copy. */
export interface ChangeCause {
  name: string
  /** Whose copy needs it. */
  reader?: (world: CauseWorld) => HistoryPerson
  change: (world: CauseWorld, turn: Turn) => Promise<{ status: number }>
}

export async function createCauseWorld(docket: HistoryDocket, seed: number): Promise<CauseWorld> {
  const world = await createHistoryWorld(docket, seed)
  const { owner } = world.people
  const create = async (line: string, body: object) => (await write(world, owner, line, body)).id
  const twice = async (createOne: () => Promise<string>): Promise<Pair> => [
    await createOne(),
    await createOne(),
  ]
  const project_id = world.team.project
  await create('POST /api/v1/tasks', { project_id, title: 'Stays' })
  const taskIds: string[] = []
  const comment: string[] = []
  for (let count = 0; count < 4; count += 1) {
    const id = await create('POST /api/v1/tasks', { project_id, title: 'Task' })
    taskIds.push(id)
    const author = world.people.member
    const { id: comment_id } = await write(world, author, `POST /api/v1/tasks/${id}/comments`, {
      body: 'Text',
    })
    comment.push(comment_id)
  }
  const [first = '', second = '', third = '', fourth = ''] = taskIds
  const ofFirst = (path: string, body: object) => () =>
    create(`POST /api/v1/tasks/${first}/${path}`, body)
  const timeEntry = await twice(ofFirst('time-entries', { duration_seconds: 60 }))
  // This one is left when the second task moves.
  await create(`POST /api/v1/tasks/${second}/time-entries`, { duration_seconds: 60 })
  const attachment = await twice(ofFirst('attachments?filename=a.txt', Buffer.from('A')))
  let tags = 0
  const tag = await twice(() => {
    tags += 1
    return create(`POST /api/v1/projects/${project_id}/tags`, { name: `Tag ${tags}` })
  })
  for (const id of [third, fourth]) await write(world, owner, `DELETE /api/v1/tasks/${id}`)
  const [comment_1 = '', comment_2 = ''] = comment
  return {
    ...world,
    task: [first, second],
    deleted: [third, fourth],
    comment: [comment_1, comment_2],
    timeEntry,
    attachment,
    tag,
  }
}

const asOwner =
  (request: (world: CauseWorld, turn: Turn) => readonly [line: string, body?: object]) =>
  (world: CauseWorld, turn: Turn) =>
    write(world, world.people.owner, ...request(world, turn))

const byMember = ({ people }: CauseWorld) => people.member
const byGuest = ({ people }: CauseWorld) => people.guest

/** In an order in which they do not disturb each other in one world. */
export const CHANGE_CAUSES: readonly ChangeCause[] = [
  {
    name: 'a task is changed',
    change: asOwner(({ task }, n) => [`PATCH /api/v1/tasks/${task[0]}`, { title: `New ${n}` }]),
  },
  {
    name: 'a project is changed',
    change: asOwner(({ team }, n) => [
      `PATCH /internal/projects/${team.project}`,
      { icon: `${n}` },
    ]),
  },
  {
    name: 'a tag is changed',
    change: asOwner(({ tag }, n) => [`PATCH /api/v1/tags/${tag[0]}`, { name: `New ${n}` }]),
  },
  {
    name: 'a comment is edited',
    change: ({ comment, ...world }, n) =>
      write(world, world.people.member, `PATCH /api/v1/comments/${comment[0]}`, { body: `${n}` }),
  },
  {
    name: 'a time entry is changed',
    change: asOwner(({ timeEntry }, n) => [
      `PATCH /api/v1/time-entries/${timeEntry[0]}`,
      { note: `${n}` },
    ]),
  },
  {
    name: 'a file is attached',
    change: asOwner(({ task }) => [
      `POST /api/v1/tasks/${task[1]}/attachments?filename=b.txt`,
      Buffer.from('B'),
    ]),
  },
  {
    name: 'a member gets another role',
    change: asOwner(({ people }, n) => [
      `PATCH /internal/members/${people.guest.id}`,
      { role: ['member', 'guest'][n] },
    ]),
  },
  {
    name: 'somebody is added to the people list of a project or removed from it',
    reader: byGuest,
    change: asOwner(({ team, people }, n) => [
      `${['PUT', 'DELETE'][n]} /internal/projects/${team.hidden}/people/${people.guest.id}`,
    ]),
  },
  {
    name: 'somebody is removed from the people list of a project',
    reader: byGuest,
    change: asOwner(({ team, people }, n) => [
      `${['PUT', 'DELETE'][n]} /internal/projects/${team.hidden}/people/${people.guest.id}`,
    ]),
  },
  {
    name: 'a comment is deleted',
    change: asOwner(({ comment }, n) => [`DELETE /api/v1/comments/${comment[n]}`]),
  },
  {
    name: 'a time entry is deleted',
    change: asOwner(({ timeEntry }, n) => [`DELETE /api/v1/time-entries/${timeEntry[n]}`]),
  },
  {
    name: 'an attachment is deleted',
    change: asOwner(({ attachment }, n) => [`DELETE /api/v1/attachments/${attachment[n]}`]),
  },
  {
    name: 'a tag is deleted',
    change: asOwner(({ tag }, n) => [`DELETE /api/v1/tags/${tag[n]}`]),
  },
  {
    name: 'a deleted task is restored with what belongs to it',
    change: asOwner(({ deleted }, n) => [`POST /api/v1/tasks/${deleted[n]}/restore`]),
  },
  {
    name: 'a task moves to another project',
    change: asOwner(({ task, team }, n) => [
      `PATCH /api/v1/tasks/${task[n]}`,
      { project_id: team.hidden },
    ]),
  },
  {
    name: 'a task moves out of sight',
    reader: byGuest,
    change: asOwner(({ deleted, team }, n) => [
      `PATCH /api/v1/tasks/${deleted[n]}`,
      { project_id: team.hidden },
    ]),
  },
  {
    name: 'a project gets another prefix',
    change: asOwner(({ team }, n) => [
      `PATCH /internal/projects/${team.project}`,
      { prefix: `NEW${n}` },
    ]),
  },
  {
    name: 'a project is made private or visible to all',
    reader: byMember,
    change: asOwner(({ team }, n) => [
      `PATCH /internal/projects/${team.project}`,
      { visibility: ['private', 'workspace'][n] },
    ]),
  },
  {
    name: 'a member leads a private project or does not any more',
    reader: byMember,
    change: asOwner(({ team, people }, n) => [
      `PATCH /internal/projects/${team.hidden}`,
      { lead_id: [people.member.id, null][n] },
    ]),
  },
  {
    name: 'a person changes the account',
    change: (world, n) =>
      write(world, world.people.member, 'PATCH /internal/account', {
        timezone: ['UTC', 'Europe/Rome'][n],
      }),
  },
  {
    name: 'a person who has commented changes the name',
    change: (world, n) =>
      write(world, world.people.member, 'PATCH /internal/account', { name: `Ada ${n}` }),
  },
  {
    name: 'the role of the reader changes',
    reader: byMember,
    change: asOwner(({ people }, n) => [
      `PATCH /internal/members/${people.member.id}`,
      { role: ['guest', 'admin'][n] },
    ]),
  },
  {
    name: 'a task is purged before the copy has learned of its deletion',
    async change(world, n) {
      const reply = await write(world, world.people.owner, `DELETE /api/v1/tasks/${world.task[n]}`)
      for (const step = emptyTrash(world.docket.storage, -1); await step(); );
      return reply
    },
  },
]
