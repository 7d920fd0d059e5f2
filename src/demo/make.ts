import { type Actor, NOBODY, type Plan } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import {
  ensureAccount,
  NO_PASSWORD,
  type PreparedPassword,
  preparePassword,
} from '#identity/account.ts'
import { noteDemo } from '#identity/demo.ts'
import { createKey } from '#identity/new-key.ts'
import { createWorkspace } from '#identity/workspace.ts'
import { timestampOf } from '#lib/clock.ts'
import { dayIn } from '#lib/days.ts'
import { newId } from '#lib/id.ts'
import { join } from '#resources/members/membership.ts'
import { addPerson, createProject } from '#resources/projects/create.ts'
import { loadProject } from '#resources/projects/load.ts'
import { create as createTag } from '#resources/tags/operations.ts'
import { PRESETS } from '#wire/scopes.ts'
import { CAST, LABELS, type Label, type Who } from './cast.ts'
import { asking, found, play } from './play.ts'
import { STORY } from './story.ts'

/** What the person who starts Docket must know, and is told this once. */
export interface Welcome {
  email: string
  password: string
  api_key: string
}

export interface Wanted {
  plan: Plan
  timezone: string
}

/** Makes the demo workspace, by the operations that people would use: so its events are right. */
export async function makeDemo(storage: Storage, wanted: Wanted): Promise<Welcome> {
  const workspace_id = newId('wsp', storage.clock.now())
  const system: Actor = { ...NOBODY, workspace_id, role: 'owner' }
  const prepared = await preparePassword()
  const { people, api_key } = await storage.write(system, (tx) => populate(tx, wanted, prepared))

  const as = <T>(who: Who, work: (tx: WriteTx) => Promise<T>): Promise<T> =>
    storage.write(actorOf(who), work)
  const project_id = await as('maya', (tx) => projectOf(tx, people))
  const tags = await as('maya', (tx) => tagsIn(tx, project_id))
  const today = dayIn(wanted.timezone, timestampOf(storage.clock.now()))
  const tasks = new Map<string, string>()
  for (const scene of STORY) await play({ project_id, people, tags, today, as }, tasks, scene)
  return { email: emailOf('maya'), password: prepared.password, api_key }

  function actorOf(who: Who): Actor {
    const { plan, timezone } = wanted
    const times = { timezone, workspace_timezone: timezone }
    return { ...system, type: 'user', user_id: people[who], plan, ...CAST[who], ...times }
  }
}

const emailOf = (who: Who) => `${who}@demo.example`

/** The workspace with its people, of whom only the owner can sign in. */
async function populate(tx: WriteTx, { plan, timezone }: Wanted, prepared: PreparedPassword) {
  await createWorkspace(tx, { name: 'Demo', plan, timezone })
  const add = async (who: Who, password: typeof NO_PASSWORD | PreparedPassword = NO_PASSWORD) => {
    const { name, role } = CAST[who]
    const { user_id } = await ensureAccount(tx, { email: emailOf(who), name, timezone }, password)
    await join(tx, { user_id, name, role })
    return user_id
  }
  const people: Record<Who, string> = {
    maya: await add('maya', prepared),
    jonas: await add('jonas'),
    priya: await add('priya'),
    tom: await add('tom'),
    elif: await add('elif'),
  }
  await noteDemo(tx, { workspace_id: tx.actor.workspace_id, user_id: people.maya })
  const key = { name: 'Demo', scopes: PRESETS.full, expires_at: null }
  const { api_key } = await createKey(tx, { user_id: people.maya, ...key })
  return { people, api_key }
}

async function projectOf(tx: WriteTx, { maya, priya, elif }: Record<Who, string>): Promise<string> {
  const wanted = { name: 'Website relaunch', prefix: 'DEMO', color: '#6366f1', icon: '🚀' }
  const description = 'The new site, from the first interview to the launch.'
  const people = { lead_id: priya, created_by_id: maya }
  const id = await createProject(tx, { ...wanted, description, ...people })
  await tx.run(addPerson, { project_id: id, user_id: elif })
  return id
}

async function tagsIn(tx: WriteTx, project_id: string): Promise<Record<Label, string>> {
  const project = await loadProject(tx, project_id)
  const tags: Record<string, string> = {}
  for (const [name, color] of Object.entries(LABELS)) {
    tags[name] = found(await createTag(tx, project, asking(project_id, { name, color }))).id
  }
  return tags
}
