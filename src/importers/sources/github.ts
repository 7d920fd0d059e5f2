import { emptyImportedTask, type ImportedTask } from '#resources/imports/imported-task.ts'
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
import { createOmissionCounter, type OmissionCounter, withExtraValues } from './extra-values.ts'
import type { ImportFile, ParsedRow, SourceReader } from './source-reader.ts'

/**
 * Reads GitHub issues as JSON: a list from the REST API, or from `gh issue list --json`, which
 * includes comments. Pull requests, which the API lists among the issues, are skipped.
 */
export const readGitHub: SourceReader = async (source, _, { timezone }) => {
  const omissions = createOmissionCounter()
  return {
    rows: parseRows(source, timezone, omissions),
    rest: () => ({ not_taken_over: omissions.list() }),
  }
}

async function* parseRows(
  source: ImportFile,
  timezone: string,
  omissions: OmissionCounter,
): AsyncGenerator<ParsedRow> {
  let number = 0
  for await (const issue of readIssues(source)) {
    number += 1
    if (issue.pull_request !== undefined) omissions.add('pull_requests')
    else {
      countOmissions(issue, omissions)
      yield { row: toRow(issue, number, timezone), warnings: [] }
    }
  }
}

/** The members of an object that hold its issues: of a search, or of `{"issues": […]}`. */
const LIST_MEMBERS: ReadonlySet<string | null> = new Set([null, 'items', 'issues', 'nodes'])

/**
 * `gh api --paginate` writes pages that follow each other, with `--slurp` a list of them, which are lists of
 * issues, and with `--jq '.[]'` an issue on each line.
 */
async function* readIssues(source: ImportFile): AsyncGenerator<JsonObject> {
  const read = (await isIssue(source)) ? readJsonValues : readJsonElements
  for await (const { member, value } of read(decodeText(source.bytes(), false))) {
    if (!LIST_MEMBERS.has(member)) continue
    if (Array.isArray(value)) for (const one of value) yield asJsonObject(one)
    else yield asJsonObject(value)
  }
}

/** Whether the file begins with an issue rather than with a list, or an object that holds one. */
async function isIssue(source: ImportFile): Promise<boolean> {
  for await (const { member } of readJsonElements(decodeText(source.bytes(), false))) {
    if (LIST_MEMBERS.has(member)) return false
    if (member === 'title') return true
  }
  return false
}

const loginOf = (person: unknown) => asText(asJsonObject(person).login)

function toRow(issue: JsonObject, number: number, timezone: string): ImportedTask {
  const url = asText(issue.html_url) ?? asText(issue.url)
  const [, repository = ''] =
    /^https?:\/\/[^/]+\/(?:repos\/)?([^/]+\/[^/]+)\/issues\/\d+$/.exec(url ?? '') ?? []
  const milestone = asJsonObject(issue.milestone)
  const milestoneTitle = asText(milestone.title) ?? asText(issue.milestone)
  const labels = toLabels(issue.labels)
  const people = asJsonObjects(issue.assignees).flatMap((one) => loginOf(one) ?? [])
  const single = loginOf(issue.assignee)
  const parent = asText(asJsonObject(issue.parent).url) ?? asText(issue.parent_issue_url)
  const type = asText(asJsonObject(issue.type).name) ?? asText(asJsonObject(issue.issueType).name)
  const row: ImportedTask = {
    ...emptyImportedTask(number),
    key: url ?? asText(issue.number),
    title: asText(issue.title) ?? '',
    description: asText(issue.body),
    status: statusOf(issue),
    assignees: [...new Set([...people, ...(people.length === 0 && single ? [single] : [])])],
    tags: [
      ...new Set([
        ...labels.map(({ name }) => name),
        ...(milestoneTitle === null ? [] : [milestoneTitle]),
      ]),
    ],
    tag_colors: Object.fromEntries(
      labels.flatMap(({ name, color }) => (color === null ? [] : [[name, color] as const])),
    ),
    project: repository,
    due_date: asDay(milestone.due_on ?? milestone.dueOn, timezone),
    parent: parent === null ? null : toIssuePage(parent),
    comments: firstComments(asJsonObjects(issue.comments)).map((one) => ({
      author: loginOf(one.author) ?? loginOf(one.user),
      at: asDay(one.createdAt ?? one.created_at, timezone),
      body: asText(one.body) ?? '',
    })),
  }
  return withExtraValues(row, [
    ['Type', type],
    ['Created by', loginOf(issue.author) ?? loginOf(issue.user)],
  ])
}

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

/** The labels of an issue, which may be names alone, with their colors. */
function toLabels(value: unknown): { name: string; color: string | null }[] {
  return (Array.isArray(value) ? value : []).flatMap((label: unknown) => {
    const name = asText(label) ?? asText(asJsonObject(label).name)
    const color = asText(asJsonObject(label).color)
    if (name === null) return []
    return {
      name,
      color: color !== null && /^[0-9a-f]{6}$/i.test(color) ? `#${color.toLowerCase()}` : null,
    }
  })
}

/** Counts what an issue has beside what its row has. */
function countOmissions(issue: JsonObject, omissions: OmissionCounter): void {
  // The list of the REST API has only the number of comments.
  if (typeof issue.comments === 'number') omissions.add('comments', issue.comments)
  const groups = asJsonObjects(issue.reactionGroups)
  const reactions =
    (asNumber(asJsonObject(issue.reactions).total_count) || 0) +
    groups.reduce((sum, { users }) => sum + (asNumber(asJsonObject(users).totalCount) || 0), 0)
  omissions.add('reactions', reactions)
}
