import { type DocketClient, RequestRejectedError } from './docket.ts'
import type { Commit } from './git.ts'
import type { MemberRecord } from './records.ts'

const MAX_ASSIGNEES = 20

/** Finds the members who wrote a commit: its author and co-authors. */
export async function createAssigneeFinder(docket: DocketClient, project_id: string) {
  const byEmail = new Map<string, string>()
  for await (const { id, email } of docket.list<MemberRecord>('/api/v1/workspace/members')) {
    if (email !== null) byEmail.set(email, id)
  }
  const assignable = new Map<string, Promise<boolean>>()

  /** Only the server knows who can see a private project: one dry run per person finds out. */
  async function isAssignable(id: string): Promise<boolean> {
    const task = { project_id, title: 'May this member be assigned?', assignee_ids: [id] }
    try {
      await docket.post('/api/v1/tasks?dry_run=true', task)
      return true
    } catch (error) {
      const code =
        error instanceof RequestRejectedError ? error.problem.details[0]?.code : undefined
      if (code === 'not_a_member') return false
      throw error
    }
  }

  return async ({ author, trailers }: Commit): Promise<string[]> => {
    const coAuthors = trailers.map(
      (trailer) => /^co-authored-by:.*<(.+)>/i.exec(trailer)?.[1] ?? '',
    )
    const emails = [author.email, ...coAuthors].map((email) => email.toLowerCase())
    const found = new Set(emails.flatMap((email) => byEmail.get(email) ?? []))
    const people: string[] = []
    for (const id of found) {
      const answer = assignable.get(id) ?? isAssignable(id)
      assignable.set(id, answer)
      if (await answer) people.push(id)
    }
    return people.slice(0, MAX_ASSIGNEES)
  }
}
