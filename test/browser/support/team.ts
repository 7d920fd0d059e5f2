import { NOBODY, type Role } from '#core/actor.ts'
import { preparePassword } from '#identity/account.ts'
import { ofAddress, ofResetsFrom } from '#identity/attempts.ts'
import { sessionCookie } from '#identity/cookie.ts'
import { commandOfAll, queryOfAll } from '#storage/statement.ts'
import { newHome } from '../../support/home.ts'
import { sessionOf } from '../../support/session.ts'
import type { Docket } from './docket.ts'

export const PASSWORD = 'correct horse battery staple'

/** Somebody with an account; the name of each is "The <role>". */
export interface Person {
  id: string
  role: Role
  name: string
  email: string
  password: string
  /** An API key of all scopes. */
  key: string
}

/** A workspace of its own for a test: a person of each role, and three projects. */
export interface Team {
  workspace: string
  people: Record<Role, Person>
  /** ENG, which everybody sees, and HID, which only the owner does. */
  project: string
  hidden: string
}

/** Hashed once a process: a hash is slow on purpose. */
let prepared: ReturnType<typeof preparePassword> | undefined

/** Where the browsers of all tests are: what failed on purpose in one counts in none after it. */
const HERE = '127.0.0.1'

/** Makes a workspace on a server that runs. */
export async function newTeam({ storage }: Pick<Docket, 'storage'>): Promise<Team> {
  prepared ??= preparePassword(PASSWORD)
  const home = await newHome(storage, 'paid', await prepared)
  const persons = Object.entries(home.people) as [Role, string][]
  const made = await storage.write({ ...NOBODY, workspace_id: home.workspace }, async (tx) => {
    const rows: [Role, Person][] = []
    for (const [role, id] of persons) {
      const email = (await tx.one(emailOf, { id }))?.email ?? ''
      const name = `The ${role}`
      rows.push([role, { id, role, name, email, password: PASSWORD, key: home.keys[role] }])
    }
    for (const { name } of [ofAddress(HERE), ofResetsFrom(HERE)]) {
      await tx.run(forgetAttempts, { subject: name })
    }
    return rows
  })
  const people = Object.fromEntries(made) as Team['people']
  return { workspace: home.workspace, people, project: home.project, hidden: home.hidden }
}

const emailOf = queryOfAll((db, $: { id: string }) =>
  db.selectFrom('users').select('email').where('id', '=', $.id),
)

const forgetAttempts = commandOfAll((db, $: { subject: string }) =>
  db.deleteFrom('attempts').where('subject', '=', $.subject),
)

/** The cookie of a new session of a person, as a browser keeps it. */
export async function cookieOf({ storage, url }: Docket, { workspace, people }: Team, role: Role) {
  const ids = Object.fromEntries(Object.values(people).map(({ role, id }) => [role, id]))
  const home = { workspace, people: ids as Record<Role, string> }
  const { value } = await sessionOf(storage, home, role, url)
  return { name: sessionCookie(url), value, url, httpOnly: true, sameSite: 'Lax' as const }
}
