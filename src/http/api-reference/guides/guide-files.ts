import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A guide of docs/guides as it is written. */
export interface GuideFile {
  readonly slug: string
  /** The heading of the first line. */
  readonly title: string
  /** The first paragraph, which the index shows. */
  readonly summary: string
  readonly markdown: string
}

/** Guides under a heading of the index. */
interface GuideGroup {
  readonly title: string
  readonly guides: readonly GuideFile[]
}

export const GUIDES_FOLDER = join(import.meta.dirname, '../../../../docs/guides')

/** The guides in reading order. */
const SLUGS_BY_GROUP: readonly [title: string, slugs: readonly string[]][] = [
  ['Get started', ['quickstart', 'authentication', 'permissions', 'oauth']],
  ['Requests', ['requests', 'lists', 'errors', 'rate-limits', 'idempotency']],
  ['Events', ['events', 'event-types', 'webhooks', 'verify-webhooks', 'keep-a-copy']],
  [
    'Tasks',
    [
      'custom-fields',
      'dates',
      'recurrence',
      'time-tracking',
      'files',
      'moving-and-deleting',
      'undo',
    ],
  ],
  ['Tools', ['mcp', 'clients', 'browsers', 'command-line', 'versioning']],
]

/** Read once at the start; what shows them renders them later. */
export const GUIDE_GROUPS: readonly GuideGroup[] = SLUGS_BY_GROUP.map(([title, slugs]) => ({
  title,
  guides: slugs.map(readGuide),
}))

export const GUIDES: readonly GuideFile[] = GUIDE_GROUPS.flatMap(({ guides }) => guides)

/** The address of a guide's page. */
export const guidePath = (slug: string): string => `/docs/guides/${slug}`

function readGuide(slug: string): GuideFile {
  const markdown = readFileSync(join(GUIDES_FOLDER, `${slug}.md`), 'utf8')
  const [heading = '', summary = ''] = markdown.split(/\n\s*\n/, 2)
  return {
    slug,
    title: heading.replace(/^# /, ''),
    summary: summary.replaceAll('\n', ' '),
    markdown,
  }
}
