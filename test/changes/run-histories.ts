import type { RecordSet } from '../support/changes/record-copy.ts'
import { APP_ACTIONS, type DocketAction, MEMBERSHIP_ACTIONS, purgeTrash } from './app-actions.ts'
import { readAllRecords } from './expected-records.ts'
import { createReader, type HistoryReader, pullAndCompare, pullPage } from './history-reader.ts'
import {
  createHistoryWorld,
  type DocketWorld,
  type HistoryDocket,
  type HistoryPerson,
  type HistoryWorld,
} from './history-world.ts'
import { comparePageReader, createPageReader, pullPageReader } from './page-reader.ts'
import { API_ACTIONS, FIRST_ACTIONS } from './task-actions.ts'

const SHARED_ACTIONS = [...API_ACTIONS, ...APP_ACTIONS]
const ALL_ACTIONS = [...SHARED_ACTIONS, ...MEMBERSHIP_ACTIONS]
const TYPES = ['project', 'task', 'comment', 'time_entry', 'tag', 'attachment', 'member']

export interface HistoryOptions {
  /** How many things happen in a history. */
  steps: number
  /** How many of them at once. More than one makes a history that its seed does not replay exactly. */
  concurrency?: number
}

export interface HistoryResult {
  /** How a copy was wrong, and what happened before; empty if all were exact. */
  faults: string[]
  accepted: number
  rejected: number
  comparisons: number
}

/**
 * Runs one random history: people write, and readers pull pages at random moments. Whenever one is at the
 * end, its copy must equal what the lists tell the same person.
 */
export async function runHistory(
  docket: HistoryDocket,
  seed: number,
  { steps, concurrency = 1 }: HistoryOptions,
): Promise<HistoryResult> {
  const world = await createHistoryWorld(docket, seed)
  const { choices, people } = world
  const readers = [
    ...createReaders(world).map((reader) => asCopyReader(world, reader)),
    ...createPages(world),
  ]
  for (const action of FIRST_ACTIONS) await action(world, people.owner)
  const faults: string[] = []
  let comparisons = 0
  const compare = async (reader: CopyReader, known?: RecordSet) => {
    comparisons += 1
    faults.push(...(await reader.compare(known)))
  }
  const step = async () => {
    const kind = choices.random()
    const reader = choices.pick(readers)
    if (kind < 0.7 || !reader) await actAtRandom(world, concurrency > 1)
    else if (kind < 0.94 || concurrency > 1) await reader.pull()
    else if (kind < 0.985) await compare(reader)
    else await purgeAfterPulls(world, readers, compare)
  }
  try {
    for (let done = 0; done < steps && faults.length === 0; done += concurrency)
      await Promise.all(Array.from({ length: concurrency }, step))
    if (faults.length === 0) await compareAll(world, readers, compare)
  } catch (error) {
    faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  if (faults.length > 0) faults.push(...world.log.slice(-40))
  return { faults, comparisons, accepted: world.accepted, rejected: world.rejected }
}

/** Somebody who holds a copy and brings it up to date. */
interface CopyReader {
  person: HistoryPerson
  /** Makes one request. */
  pull(): Promise<unknown>
  /** Reads to the end, and lists how the copy is wrong. */
  compare(known?: RecordSet): Promise<string[]>
}

type CompareReader = (reader: CopyReader, known?: RecordSet) => Promise<void>

const asCopyReader = (world: HistoryWorld, reader: HistoryReader): CopyReader => ({
  person: reader.person,
  pull: () => pullPage(world, reader),
  compare: (known) => pullAndCompare(world, reader, known),
})

/** A page of one whose rights change, and another one. */
function createPages(world: DocketWorld): CopyReader[] {
  const { choices, people, team } = world
  const persons = [
    choices.pick([people.member, people.guest]) ?? people.guest,
    choices.pick(Object.values(people)) ?? people.owner,
  ]
  return persons.map((person, at) => {
    const project_id = choices.pick([team.project, team.hidden]) ?? team.project
    const reader = createPageReader(person, project_id, at === 0)
    return {
      person,
      pull: () => pullPageReader(world, reader),
      compare: () => comparePageReader(world, reader),
    }
  })
}

/** Those whose rights change follow everything; some follow one project, or some types. */
function createReaders(world: DocketWorld): HistoryReader[] {
  const { choices, people, team } = world
  const types = choices.some(TYPES, 3)
  const project_id = choices.chance(0.5) ? team.project : team.hidden
  return [
    createReader(people.owner),
    createReader(people.member),
    createReader(people.guest),
    createReader(choices.pick([people.member, people.guest]) ?? people.owner, { project_id }),
    createReader(choices.pick([people.owner, people.member, people.guest]) ?? people.owner, {
      types: types.length > 0 ? types : ['comment'],
    }),
  ]
}

/** While others act at the same time, nobody can tell whether a request comes before a change of rights. */
function chooseAction({ choices }: DocketWorld, isConcurrent: boolean): DocketAction {
  const actions = isConcurrent ? SHARED_ACTIONS : ALL_ACTIONS
  let rest = choices.random() * actions.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, action] of actions) {
    rest -= weight
    if (rest < 0) return action
  }
  throw new Error('There is no action')
}

/** Mostly the owner acts, so that most actions are accepted. */
export async function actAtRandom(world: DocketWorld, isConcurrent = true): Promise<void> {
  const { choices, people } = world
  const action = chooseAction(world, isConcurrent)
  const all: HistoryPerson[] = [
    people.owner,
    people.owner,
    people.admin,
    people.member,
    people.guest,
  ]
  const person = choices.pick(all.filter(({ isMember }) => isMember)) ?? people.owner
  // Identifiers and times differ from one action to the next.
  world.docket.clock.advance(1 + choices.below(2_000))
  await action(world, person)
}

async function compareAll(
  world: DocketWorld,
  readers: readonly CopyReader[],
  compare: CompareReader,
): Promise<void> {
  const known = new Map<string, RecordSet>()
  for (const reader of readers) {
    const { person } = reader
    if (!person.isMember) continue
    const all = known.get(person.id) ?? (await readAllRecords(world, person))
    known.set(person.id, all)
    await compare(reader, all)
  }
}

/** Who reads less often than deletions are remembered begins again, so all read before. */
async function purgeAfterPulls(
  world: DocketWorld,
  readers: readonly CopyReader[],
  compare: CompareReader,
): Promise<void> {
  await compareAll(world, readers, compare)
  await purgeTrash(world, world.people.owner)
}
