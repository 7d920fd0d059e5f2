import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { installationValue } from '#storage/open.ts'
import {
  changeInstallationValue,
  hasWebhooks,
  keepInstallationValue,
  postgresHere,
  postgresTells,
  setInstallationValue,
} from './home-store.ts'
import { type Mark, markIn, readMark, textOf, writeMark } from './mark.ts'

/** Why nothing is sent to webhooks. */
export type Astray = 'paused' | 'elsewhere' | 'older'

/** The place from which the webhooks of a database are sent, until somebody says otherwise. */
export interface Home {
  /**
   * Why nothing may be sent from here, undefined where it may. A database that is new, or that has
   * never been sent from, is at home where it is.
   */
  whyNot(): Promise<Astray | undefined>
  /** The same for who only looks: `new` is left as it is. */
  state(): Promise<Astray | 'new' | undefined>
  /** Counts on. Only right after `whyNot` had nothing to say: it would cover up what is wrong. */
  beat(): Promise<void>
  /** From now on it is sent from here. */
  settle(): Promise<void>
  /** From now on it is sent from nowhere. */
  pause(): Promise<void>
}

/** What is found out about a place before the database is asked, and what it says to its answer. */
type Judge = (kept: Mark | undefined) => Astray | 'new' | undefined

interface Place {
  look(): Promise<Judge>
  /** A name for it. */
  name(): Promise<string>
  /** Keeps a mark beside the database. */
  keep(mark: Mark): Promise<void>
}

const NAME = 'sending'
/** No place has this name. */
const NOWHERE = 'nowhere'

/** Values of the installation with which data is sent from nowhere, until `settle`. */
export const SENT_FROM_NOWHERE = { [NAME]: textOf({ home: NOWHERE, beat: 0 }) }

/**
 * Where the webhooks of a database are sent from. What was restored or copied must not send on its own:
 * its deliveries were made already, or are being made, by the one that it was copied from.
 */
export function homeOf(storage: Storage, dataDir: string): Home {
  const place = storage.engine === 'sqlite' ? inDirectory(dataDir) : inCluster(storage)

  async function kept(): Promise<Mark | undefined> {
    const found = await storage.read(NOBODY, (tx) => tx.one(installationValue, { name: NAME }))
    return found && markIn(found.value)
  }

  async function nothingToSend(): Promise<boolean> {
    return (await storage.read(NOBODY, (tx) => tx.one(hasWebhooks, {}))) === undefined
  }

  /** The file is always ahead, never behind: a database that is behind by more than one is older. */
  async function write(
    mark: Mark,
    how: typeof setInstallationValue,
    told?: 'sending.resumed',
  ): Promise<void> {
    await place.keep(mark)
    const row = { name: NAME, value: textOf(mark) }
    await storage.write(NOBODY, async (tx) => {
      await tx.run(how, row)
      if (told) tx.audit(told, null, {})
    })
  }

  async function state(): Promise<Astray | 'new' | undefined> {
    const judge = await place.look()
    const mark = await kept()
    return mark === undefined && (await nothingToSend()) ? 'new' : judge(mark)
  }

  async function whyNot(): Promise<Astray | undefined> {
    const found = await state()
    if (found !== 'new') return found
    await write({ home: await place.name(), beat: 1 }, keepInstallationValue)
    return undefined
  }

  return {
    state,
    whyNot,
    async beat() {
      const was = await kept()
      if (!was || storage.engine !== 'sqlite') return
      // Counted from what is committed: a beat that failed half-way is made again, not passed over.
      const mark = { ...was, beat: was.beat + 1 }
      await place.keep(mark)
      const change = { name: NAME, value: textOf(mark), was: textOf(was) }
      await storage.write(NOBODY, (tx) => tx.run(changeInstallationValue, change))
    },
    async settle() {
      const { beat = 0 } = (await kept()) ?? {}
      const mark = { home: await place.name(), beat: beat + 1 }
      await write(mark, setInstallationValue, 'sending.resumed')
    },
    async pause() {
      const { beat = 0 } = (await kept()) ?? {}
      const row = { name: NAME, value: textOf({ home: NOWHERE, beat }) }
      await storage.write(NOBODY, async (tx) => {
        await tx.run(setInstallationValue, row)
        tx.audit('sending.paused', null, {})
      })
    },
  }
}

/**
 * SQLite. A kill between file and database leaves the file ahead by one. Without the file, or with a copy
 * of it, the database came from elsewhere; with a file further ahead it is an older one.
 */
function inDirectory(dataDir: string): Place {
  const path = join(dataDir, NAME)
  return {
    async look() {
      const file = await readMark(path)
      return (kept) => {
        if (kept?.home === NOWHERE) return 'paused'
        const ahead = (file?.beat ?? 0) - (kept?.beat ?? 0)
        if (!kept) return ahead > 1 ? 'older' : 'new'
        if (!file?.original || file.home !== kept.home) return 'elsewhere'
        return ahead > 1 ? 'older' : undefined
      }
    },
    name: async () => randomBytes(12).toString('base64url'),
    keep: (mark) => writeMark(path, mark),
  }
}

/** PostgreSQL: cluster, database and table have numbers of their own, which a dump does not bring along. */
function inCluster(storage: Storage): Place {
  const name = async () => {
    const found = await storage.read(NOBODY, async (tx) => {
      const told = await tx.one(postgresTells, {})
      return tx.one(postgresHere(told?.may === 1), {})
    })
    if (!found) throw new Error('PostgreSQL does not tell which database this is')
    return found.here
  }
  return {
    async look() {
      const here = await name()
      return (kept) => {
        if (!kept) return 'new'
        if (kept.home === NOWHERE) return 'paused'
        return kept.home === here ? undefined : 'elsewhere'
      }
    },
    name,
    keep: async () => {},
  }
}
