import type { FastifyInstance } from 'fastify'
import type { Role } from '#core/actor.ts'
import { SCOPES } from '#wire/scopes.ts'
import type { TestDocket } from '../../support/engines/test-docket.ts'
import type { TestClock } from '../../support/system/test-clock.ts'
import { newClientAddress } from '../../support/world/cookie-client.ts'
import { createTestSession } from '../../support/world/test-session.ts'
import {
  createScopedKey,
  createTestWorkspace,
  type TestWorkspace,
} from '../../support/world/test-workspace.ts'
import { SeededChoices } from './seeded-choices.ts'

/** A Docket whose time the test moves; with several servers if several processes share it. */
export interface HistoryDocket extends TestDocket {
  clock: TestClock
  servers: readonly FastifyInstance[]
  /** Where the first server listens, for streams. */
  port: number
}

/** A person who writes and reads. The role is the first one; a history may change it. */
export interface HistoryPerson {
  role: Role
  id: string
  key: string
  /** Undefined until the person needs it, and after time has passed. */
  cookie: Record<string, string> | undefined
  isMember: boolean
}

export interface HistoryTask {
  id: string
  project_id: string
}

/** A workspace with what a history has created in it so far, in the order of its creation. */
export interface HistoryWorld {
  docket: HistoryDocket
  choices: SeededChoices
  home: TestWorkspace
  people: Record<Role, HistoryPerson>
  projects: string[]
  tasks: HistoryTask[]
  tags: HistoryTask[]
  comments: string[]
  timeEntries: string[]
  attachments: string[]
  templates: string[]
  /** Requests that were accepted, and those that were rejected. */
  accepted: number
  rejected: number
  /** The last actions, for the report of a failure. */
  log: string[]
  address: string
}

export async function createHistoryWorld(
  docket: HistoryDocket,
  seed: number,
): Promise<HistoryWorld> {
  const home = await createTestWorkspace(docket.storage)
  const person = (role: Role): HistoryPerson => ({
    ...{ role, id: home.people[role], key: home.keys[role], cookie: undefined, isMember: true },
  })
  return {
    ...{ docket, home, choices: new SeededChoices(seed), projects: [home.project, home.hidden] },
    ...{ tasks: [], tags: [], comments: [], timeEntries: [], attachments: [], templates: [] },
    ...{ accepted: 0, rejected: 0, log: [], address: newClientAddress() },
    people: {
      owner: person('owner'),
      admin: person('admin'),
      member: person('member'),
      guest: person('guest'),
    },
  }
}

export interface HistoryReply {
  status: number
  /** The whole reply, `{}` without one. */
  body: Record<string, unknown>
  /** Empty if there is none. */
  id: string
}

/** Sends a request, given as a line such as `POST /api/v1/tasks`; fails if the server does. */
export async function send(
  world: HistoryWorld,
  person: HistoryPerson,
  line: string,
  body?: object,
): Promise<HistoryReply> {
  const [method = '', url = ''] = line.split(' ')
  const isInternal = url.startsWith('/internal')
  const credential = isInternal
    ? await cookieOf(world, person)
    : { authorization: `Bearer ${person.key}` }
  const isFile = Buffer.isBuffer(body)
  const server = serverOf(world)
  const reply = await server.inject({
    ...{ method: method as 'GET', url, remoteAddress: world.address },
    headers: {
      ...credential,
      ...(body && { 'content-type': isFile ? 'text/plain' : 'application/json' }),
    },
    ...(body && { payload: isFile ? body : JSON.stringify(body) }),
  })
  if (reply.statusCode >= 500) throw new Error(`${line} → ${reply.statusCode} ${reply.body}`)
  const parsed = reply.body === '' ? {} : (reply.json() as Record<string, unknown>)
  if (reply.statusCode === 401) person.cookie = undefined
  const id = typeof parsed.id === 'string' ? parsed.id : ''
  return { status: reply.statusCode, body: parsed, id: reply.statusCode < 300 ? id : '' }
}

/** Sends a request that writes, and notes its outcome. */
export async function write(
  world: HistoryWorld,
  person: HistoryPerson,
  line: string,
  body?: object,
): Promise<HistoryReply> {
  const reply = await send(world, person, line, body)
  if (reply.status < 300) world.accepted += 1
  else world.rejected += 1
  const shown = Buffer.isBuffer(body) ? 'a file' : (JSON.stringify(body) ?? '')
  world.log.push(`${person.role}: ${line} ${shown} → ${reply.status}`)
  return reply
}

/** One of the servers at random. */
const serverOf = ({ docket, choices }: HistoryWorld) =>
  docket.servers.length > 1 ? (choices.pick(docket.servers) ?? docket.server) : docket.server

async function cookieOf(world: HistoryWorld, person: HistoryPerson) {
  const { docket, home } = world
  person.cookie ??= (
    await createTestSession(docket.storage, home, person.role, docket.config.baseUrl)
  ).headers
  return person.cookie
}

/** Gives a person who is a member again another API key. */
export async function renewKey(world: HistoryWorld, person: HistoryPerson): Promise<void> {
  person.key = await createScopedKey(world.docket.storage, world.home, person.role, SCOPES)
}
