import { decodeText } from '../formats/decode-text.ts'
import {
  asDay,
  asJsonObject,
  asJsonObjects,
  asNumber,
  asText,
  type JsonObject,
  readJsonElements,
  readJsonValues,
} from '../formats/json-elements.ts'
import { firstComments } from '../mapping/fit-row.ts'
import { type ImportFile, type OmissionCounter, type SourceReader, toColor } from './source.ts'

/**
 * Reads GitHub issues as JSON: a list from the REST API, or from `gh issue list --json`, which
 * includes comments. Pull requests, which the API lists among the issues, are skipped.
 */
export const readGitHub: SourceReader = async function* ({ file, timezone, omissions }) {
  for await (const issue of readIssues(file)) {
    if (issue.pull_request !== undefined) {
      omissions.add('pull_requests')
      continue
    }
    countOmissions(issue, omissions)
    const url = asText(issue.html_url) ?? asText(issue.url)
    const [, repository = ''] =
      /^https?:\/\/[^/]+\/(?:repos\/)?([^/]+\/[^/]+)\/issues\/\d+$/.exec(url ?? '') ?? []
    const milestone = asJsonObject(issue.milestone)
    const people = asJsonObjects(issue.assignees).flatMap((one) => loginOf(one) ?? [])
    const parent = asText(asJsonObject(issue.parent).url) ?? asText(issue.parent_issue_url)
    yield {
      key: url ?? asText(issue.number),
      title: asText(issue.title) ?? '',
      description: asText(issue.body),
      status: statusOf(issue),
      assignees: people.length > 0 ? people : [loginOf(issue.assignee) ?? ''],
      tags: [
        // Labels may be names alone.
        ...(Array.isArray(issue.labels) ? issue.labels : []).map((label: unknown) => {
          const { name, color } = asJsonObject(label)
          return { name: asText(label) ?? asText(name), color: toColor(asText(color)) }
        }),
        { name: asText(milestone.title) ?? asText(issue.milestone) },
      ],
      project: repository,
      due_date: asDay(milestone.due_on ?? milestone.dueOn, timezone),
      parent: parent === null ? null : toIssuePage(parent),
      comments: firstComments(asJsonObjects(issue.comments)).map((one) => ({
        author: loginOf(one.author) ?? loginOf(one.user),
        at: asDay(one.createdAt ?? one.created_at, timezone),
        body: asText(one.body) ?? '',
      })),
      extra: [
        ['Type', asText(asJsonObject(issue.type ?? issue.issueType).name)],
        ['Created by', loginOf(issue.author) ?? loginOf(issue.user)],
      ],
    }
  }
}

/** The members of an object that hold its issues: of a search, or of `{"issues": […]}`. */
const LIST_MEMBERS: ReadonlySet<string | null> = new Set([null, 'items', 'issues', 'nodes'])

/**
 * `gh api --paginate` writes pages that follow each other, with `--slurp` a list of them, which are lists of
 * issues, and with `--jq '.[]'` an issue on each line.
 */
async function* readIssues(file: ImportFile): AsyncGenerator<JsonObject> {
  const read = (await isIssue(file)) ? readJsonValues : readJsonElements
  for await (const { member, value } of read(decodeText(file.bytes(), false))) {
    if (!LIST_MEMBERS.has(member)) continue
    if (Array.isArray(value)) for (const one of value) yield asJsonObject(one)
    else yield asJsonObject(value)
  }
}

/** Whether the file begins with an issue rather than with a list, or an object that holds one. */
async function isIssue(file: ImportFile): Promise<boolean> {
  for await (const { member } of readJsonElements(decodeText(file.bytes(), false))) {
    if (LIST_MEMBERS.has(member)) return false
    if (member === 'title') return true
  }
  return false
}

const loginOf = (person: unknown) => asText(asJsonObject(person).login)

/** The address of the page of an issue, by which the file names it, from that in the API. */
const toIssuePage = (url: string): string =>
  url
    .replace(/^https:\/\/api\.github\.com\/repos\//, 'https://github.com/')
    .replace('/api/v3/repos/', '/')

const CLOSED_STATUSES: ReadonlyMap<string, string> = new Map([
  ['not_planned', 'Not planned'],
  ['duplicate', 'Duplicate'],
])

function statusOf(issue: JsonObject): string {
  if (asText(issue.state)?.toLowerCase() !== 'closed') return 'Open'
  const reason = asText(issue.state_reason) ?? asText(issue.stateReason) ?? ''
  return CLOSED_STATUSES.get(reason.toLowerCase()) ?? 'Closed'
}

/** Counts what an issue has beside what its row has. */
function countOmissions(issue: JsonObject, omissions: OmissionCounter): void {
  // The list of the REST API has only the number of comments.
  if (typeof issue.comments === 'number') omissions.add('comments', issue.comments)
  const groups = asJsonObjects(issue.reactionGroups).map(({ users }) =>
    asNumber(asJsonObject(users).totalCount),
  )
  for (const count of [asNumber(asJsonObject(issue.reactions).total_count), ...groups])
    omissions.add('reactions', count)
}
