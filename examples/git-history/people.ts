import { type Docket, Refused } from './docket.ts'
import type { Commit } from './git.ts'
import type { Member } from './records.ts'

const MOST = 20

/** Finds the members behind a commit: its author, and those who wrote it together with the author. */
export async function peopleOf(docket: Docket, project_id: string) {
  const byEmail = new Map<string, string>()
  for await (const { id, email } of docket.list<Member>('/api/v1/workspace/members')) {
    if (email !== null) byEmail.set(email, id)
  }
  const assignable = new Map<string, Promise<boolean>>()

  /** Only the server knows who sees a private project: a dry run asks, once a person. */
  async function ask(id: string): Promise<boolean> {
    const task = { project_id, title: 'May this member be assigned?', assignee_ids: [id] }
    try {
      await docket.post('/api/v1/tasks?dry_run=true', task)
      return true
    } catch (error) {
      const code = error instanceof Refused ? error.problem.details[0]?.code : undefined
      if (code === 'not_a_member') return false
      throw error
    }
  }

  return async ({ author, trailers }: Commit): Promise<string[]> => {
    const together = trailers.map((trailer) => /^co-authored-by:.*<(.+)>/i.exec(trailer)?.[1] ?? '')
    const emails = [author.email, ...together].map((email) => email.toLowerCase())
    const found = new Set(emails.flatMap((email) => byEmail.get(email) ?? []))
    const people: string[] = []
    for (const id of found) {
      const answer = assignable.get(id) ?? ask(id)
      assignable.set(id, answer)
      if (await answer) people.push(id)
    }
    return people.slice(0, MOST)
  }
}
