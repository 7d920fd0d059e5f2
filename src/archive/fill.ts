import type { Actor } from '#core/actor.ts'
import { conflict, Refusal } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import { type Files, keyOf } from '#files/files.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { endImport } from '#storage/imports.ts'
import type { Step } from './keeping.ts'
import type { Lines, Part } from './lines.ts'
import { LOADS, type Loading, linkTasks } from './load.ts'
import { nameOfPart } from './manifest.ts'
import { damaged } from './open.ts'
import { joinPeople } from './people.ts'
import { letIn } from './put.ts'
import { renaming } from './renaming.ts'
import { eachBatch, type Verified } from './verify.ts'

/** What is filled, and with what. */
export interface Filling {
  step: Step
  files: Files
  actor: Actor
  verified: Verified
  /** With what ids are made new; undefined: they stay. */
  fresh: string | undefined
  told(what: string): void
}

/** What came in: people by whether they had an account here, lines by part, and files. */
export interface Filled {
  people: { known: number; made: number }
  lines: Record<Part, number>
  files: { here: number; lost: number }
}

/** Fills a workspace that nobody sees yet, and lets people in at last. */
export async function fill(filling: Filling): Promise<Filled> {
  const { step, verified, fresh, told } = filling
  const { archive, census } = verified
  const people = new Map<string, string>()
  let known = 0
  await batches(
    'members',
    async (tx, lines) => joinPeople(tx, lines),
    (joined) => {
      for (const one of joined) {
        if (one.is !== one.was) people.set(one.was, one.is)
        if (one.known) known += 1
      }
    },
  )
  const loading: Loading = { census, renaming: renaming(census.ids, people, fresh) }
  for (const { part } of archive.manifest.parts) {
    if (part === 'workspace' || part === 'members' || part === 'applications') continue
    await load(part)
    if (part === 'tasks') await batches(part, (tx, lines) => linkTasks(tx, lines, loading))
  }
  const here = await putFiles(filling, loading)
  const applications = (await Array.fromAsync(eachBatch(archive, 'applications'))).flat()
  await step(async (tx) => {
    // Anybody may be asked by one: it must not be there before all else is.
    await LOADS.applications(tx, applications, loading)
    await tx.run(letIn, {})
    await tx.run(endImport, {})
    await advanceGeneration(tx)
    tx.audit('workspace.imported', tx.actor.workspace_id, {})
  })
  const lines = Object.fromEntries(
    archive.manifest.parts.map((one) => [one.part, one.lines]),
  ) as Record<Part, number>
  const made = lines.members - known
  return { people: { known, made }, lines, files: { here, lost: census.filesLost } }

  function load<P extends keyof typeof LOADS>(part: P): Promise<void> {
    return batches(part, (tx, lines) => LOADS[part](tx, lines, loading))
  }

  /** Some lines of a part at a time, each in a transaction; `then` hears of each when it is done. */
  async function batches<P extends Part, T>(
    part: P,
    work: (tx: WriteTx, lines: Lines[P][]) => Promise<T>,
    then: (done: T) => void = () => {},
  ): Promise<void> {
    let done = 0
    for await (const lines of eachBatch(archive, part)) {
      const write = step((tx) => work(tx, lines))
      then(await write.catch(where(part, done + 1, done + lines.length)))
      done += lines.length
      told(`${part}, ${done} lines in`)
    }
  }
}

/** What the database alone can refuse is told with its place, too. */
const where = (part: Part, first: number, last: number) => (error: unknown) => {
  if (error instanceof Refusal || !(error instanceof Error)) throw error
  const message = `${nameOfPart(part)} lines ${first} to ${last} cannot be stored: ${error.message}`
  throw conflict('archive_invalid', message)
}

/** Puts the bytes of attachments in their places; their rows are there already. */
async function putFiles(filling: Filling, { renaming }: Loading): Promise<number> {
  const { files, actor, verified, step, told } = filling
  let put = 0
  for await (const lines of eachBatch(verified.archive, 'attachments')) {
    const keys: string[] = []
    try {
      for (const line of lines) {
        const key = keyOf(actor.workspace_id, renaming.id(line.id))
        if (!(await putFile(filling, line, key))) continue
        keys.push(key)
        told(`${put + keys.length} files in`)
      }
      await step(async () => {})
    } catch (error) {
      // If it was given up meanwhile, nobody else knows of these.
      for (const key of keys) await files.remove(key)
      throw error
    }
    put += keys.length
  }
  return put
}

/** Tells whether the archive has the file at all. */
async function putFile(
  { files, verified }: Filling,
  { id, sha256 }: Lines['attachments'],
  key: string,
): Promise<boolean> {
  const { archive } = verified
  const place = archive.fileOf(id)
  if (!place) return false
  const draft = await files.draft()
  try {
    for await (const chunk of archive.bytesOf(place)) await draft.write(chunk)
    if ((await draft.finish()) !== sha256) throw damaged(`The file of ${id} has changed.`)
    await files.put(key, draft)
    return true
  } finally {
    await draft.discard()
  }
}
