import type { FastifyInstance } from 'fastify'
import type { Role } from '#wire/rights.ts'
import { SCOPES } from '#wire/scopes.ts'
import type { TestDocket } from '../support/engines/test-docket.ts'
import type { TestClock } from '../support/system/test-clock.ts'
import { newClientAddress } from '../support/world/cookie-client.ts'
import { createTestSession } from '../support/world/test-session.ts'
import {
  createScopedKey,
  createTestWorkspace,
  type TestWorkspace,
} from '../support/world/test-workspace.ts'
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

/** What a history has created in a workspace so far, in the order of its creation. */
export interface HistoryWorld {
  choices: SeededChoices
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
  /** How a request reaches a server. */
  request: SendRequest
}

/** A world whose server is in this process, so that the command line and jobs can act, too. */
export interface DocketWorld extends HistoryWorld {
  docket: HistoryDocket
  team: TestWorkspace
}

type SendRequest = (
  person: HistoryPerson,
  method: string,
  url: string,
  body: object | undefined,
) => Promise<{ status: number; text: string }>

export async function createHistoryWorld(
  docket: HistoryDocket,
  seed: number,
): Promise<DocketWorld> {
  const team = await createTestWorkspace(docket.storage)
  const remoteAddress = newClientAddress()
  const choices = new SeededChoices(seed)
  const request: SendRequest = async (person, method, url, body) => {
    const credential = url.startsWith('/internal')
      ? await cookieOf(docket, team, person)
      : { authorization: `Bearer ${person.key}` }
    // One of the servers at random.
    const server = docket.servers.length > 1 ? choices.pick(docket.servers) : docket.server
    const reply = await (server ?? docket.server).inject({
      method: method as 'GET',
      url,
      remoteAddress,
      headers: { ...credential, ...(body && { 'content-type': contentTypeOf(body) }) },
      ...(body && { payload: payloadOf(body) }),
    })
    return { status: reply.statusCode, text: reply.body }
  }
  return { ...createEmptyWorld(team, choices, request), docket, team }
}

/** A world in which nothing has happened yet. */
function createEmptyWorld(
  team: TestWorkspace,
  choices: SeededChoices,
  request: SendRequest,
): HistoryWorld {
  const person = (role: Role): HistoryPerson => ({
    role,
    id: team.people[role],
    key: team.keys[role],
    cookie: undefined,
    isMember: true,
  })
  return {
    choices,
    request,
    projects: [team.project, team.hidden],
    tasks: [],
    tags: [],
    comments: [],
    timeEntries: [],
    attachments: [],
    templates: [],
    accepted: 0,
    rejected: 0,
    log: [],
    people: {
      owner: person('owner'),
      admin: person('admin'),
      member: person('member'),
      guest: person('guest'),
    },
  }
}

/** A file is sent as it is, anything else as JSON. */
const contentTypeOf = (body: object): string =>
  Buffer.isBuffer(body) ? 'text/plain' : 'application/json'
export const payloadOf = (body: object): Buffer | string =>
  Buffer.isBuffer(body) ? body : JSON.stringify(body)

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
  const { status, text } = await world.request(person, method, url, body)
  if (status >= 500) throw new Error(`${line} → ${status} ${text}`)
  const parsed = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
  if (status === 401) person.cookie = undefined
  const id = typeof parsed.id === 'string' ? parsed.id : ''
  return { status, body: parsed, id: status < 300 ? id : '' }
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

async function cookieOf(docket: HistoryDocket, team: TestWorkspace, person: HistoryPerson) {
  person.cookie ??= (
    await createTestSession(docket.storage, team, person.role, docket.config.baseUrl)
  ).headers
  return person.cookie
}

/** Gives a person who is a member again another API key. */
export async function renewKey(world: DocketWorld, person: HistoryPerson): Promise<void> {
  person.key = await createScopedKey(world.docket.storage, world.team, person.role, SCOPES)
}
