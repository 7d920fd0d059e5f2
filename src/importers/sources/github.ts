import { emptyImportedTask, type ImportedTask } from '#resources/imports/imported-task.ts'
import { decodeText } from '../formats/decode-text.ts'
import { readJsonElements } from '../formats/json-elements.ts'
import {
  asDay,
  asJsonObject,
  asJsonObjects,
  asText,
  type JsonObject,
} from '../formats/json-values.ts'
import { firstComments } from '../mapping/validate-row.ts'
import type { ImportFile, ParsedRow, SourceReader } from './source-reader.ts'

/**
 * Reads GitHub issues as JSON: a list from the REST API, or from `gh issue list --json`, which
 * includes comments. Pull requests, which the API lists among the issues, are skipped.
 */
export const readGitHub: SourceReader = async (source, _, { timezone }) => ({
  rows: parseRows(source, timezone),
})

async function* parseRows(source: ImportFile, timezone: string): AsyncGenerator<ParsedRow> {
  let number = 0
  for await (const { value } of readJsonElements(decodeText(source.bytes(), false))) {
    const issue = asJsonObject(value)
    number += 1
    if (issue.pull_request === undefined) yield { row: toRow(issue, number, timezone), warnings: [] }
  }
}

const loginOf = (person: unknown) => asText(asJsonObject(person).login)

function toRow(issue: JsonObject, number: number, timezone: string): ImportedTask {
  const url = asText(issue.html_url) ?? asText(issue.url)
  const [, repository = ''] =
    /^https?:\/\/[^/]+\/(?:repos\/)?([^/]+\/[^/]+)\/issues\/\d+$/.exec(url ?? '') ?? []
  const reason = (asText(issue.state_reason) ?? asText(issue.stateReason) ?? '').toLowerCase()
  const isOpen = asText(issue.state)?.toLowerCase() !== 'closed'
  const milestone = asText(asJsonObject(issue.milestone).title)
  return {
    ...emptyImportedTask(number),
    key: url ?? asText(issue.number),
    title: asText(issue.title) ?? '',
    description: asText(issue.body),
    status: isOpen ? 'Open' : reason === 'not_planned' ? 'Not planned' : 'Closed',
    assignees: asJsonObjects(issue.assignees).flatMap((one) => loginOf(one) ?? []),
    tags: [
      ...new Set([
        ...asJsonObjects(issue.labels).flatMap((one) => asText(one.name) ?? []),
        ...(milestone === null ? [] : [milestone]),
      ]),
    ],
    project: repository,
    comments: firstComments(asJsonObjects(issue.comments)).map((one) => ({
      author: loginOf(one.author) ?? loginOf(one.user),
      at: asDay(one.createdAt ?? one.created_at, timezone),
      body: asText(one.body) ?? '',
    })),
  }
}
