import { emptyRow, type Row } from '#resources/imports/row.ts'
import { elementsOf } from './elements.ts'
import { day, type Thing, text, thing, things } from './parts.ts'
import type { Read, Reader, Source } from './reading.ts'
import { textOf } from './text.ts'

/**
 * Issues of GitHub as JSON: a list as the REST API gives it, or as `gh issue list --json` does, which
 * brings comments along. Pull requests, which the API lists among them, are left out.
 */
export const readGitHub: Reader = async (source) => ({ rows: rowsOf(source) })

async function* rowsOf(source: Source): AsyncGenerator<Read> {
  let number = 0
  for await (const { value } of elementsOf(textOf(source.bytes(), false))) {
    const issue = thing(value)
    number += 1
    if (issue.pull_request === undefined) yield { row: issueOf(issue, number), faults: [] }
  }
}

const login = (person: unknown) => text(thing(person).login)

function issueOf(issue: Thing, number: number): Row {
  const url = text(issue.html_url) ?? text(issue.url)
  const [, repository = ''] =
    /^https?:\/\/[^/]+\/(?:repos\/)?([^/]+\/[^/]+)\/issues\/\d+$/.exec(url ?? '') ?? []
  const reason = (text(issue.state_reason) ?? text(issue.stateReason) ?? '').toLowerCase()
  const isOpen = text(issue.state)?.toLowerCase() !== 'closed'
  const milestone = text(thing(issue.milestone).title)
  return {
    ...emptyRow(number),
    key: url ?? text(issue.number),
    title: text(issue.title) ?? '',
    description: text(issue.body),
    status: isOpen ? 'Open' : reason === 'not_planned' ? 'Not planned' : 'Closed',
    assignees: things(issue.assignees).flatMap((one) => login(one) ?? []),
    tags: [
      ...new Set([
        ...things(issue.labels).flatMap((one) => text(one.name) ?? []),
        ...(milestone === null ? [] : [milestone]),
      ]),
    ],
    project: repository,
    comments: things(issue.comments).map((one) => ({
      author: login(one.author) ?? login(one.user),
      at: day(one.createdAt) ?? day(one.created_at),
      body: text(one.body) ?? '',
    })),
  }
}
