import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { tarHeader, tarPadding } from '#archive/format/tar.ts'
import { createZip } from '../support/data/zip-archive.ts'
import { createFreshDockets } from '../support/engines/fresh-docket.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { createImporter } from '../support/world/importer.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import { importFile, refusalOf } from './imported-files.ts'

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

const text = (content: string) => Buffer.from(content)
const zip = (...names: string[]) =>
  createZip(Object.fromEntries(names.map((name) => [name, text('x')])))
const json = (value: unknown) => text(JSON.stringify(value))
const tar = (name: string) =>
  Buffer.concat([tarHeader(name, 1), text('x'), tarPadding(1), Buffer.alloc(1_024)])

/** Files that are no exports, and what a person reads about them. */
const FOREIGN: [name: string, bytes: Buffer | Promise<Buffer>, advice: RegExp][] = [
  [
    'Plan.xlsx',
    zip('[Content_Types].xml', 'xl/workbook.xml'),
    /^This is an Excel workbook\. Save it as CSV \(UTF-8\), and upload that\.$/,
  ],
  ['Plan.xls', Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1', 'latin1'), /older Excel/],
  ['Plan.docx', zip('[Content_Types].xml', 'word/document.xml'), /Word document/],
  ['Plan.pptx', zip('ppt/presentation.xml'), /presentation/],
  ['Plan.numbers', zip('Index/Document.iwa', 'Index/Tables/DataList.iwa'), /Numbers/],
  ['Plan.ods', zip('mimetype', 'META-INF/manifest.xml'), /OpenDocument/],
  ['Plan.pdf', text('%PDF-1.7\n…'), /^This is a PDF/],
  ['Photo.png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), /^This is an image/],
  ['Photo.jpg', Buffer.from('\xff\xd8\xff\xe0', 'latin1'), /^This is an image/],
  ['Photo.heic', Buffer.from('\0\0\0\x18ftypheic', 'latin1'), /^This is an image/],
  ['Logo.svg', text('<?xml version="1.0"?>\n<svg xmlns="x"/>'), /^This is an image/],
  ['Page.html', text('\n<!DOCTYPE html>\n<html></html>'), /^This is a web page/],
  ['Feed.xml', text('<?xml version="1.0"?><tasks/>'), /^This is XML/],
  ['Dates.ics', text('BEGIN:VCALENDAR\nEND:VCALENDAR'), /^This is a calendar/],
  ['Letter.rtf', text('{\\rtf1 Hello}'), /RTF/],
  [
    'Notes.txt',
    text('Buy milk\nCall Bob\nMow the lawn'),
    /^This is plain text.*Title as the first line/,
  ],
  ['Notes.md', text('# Plan\n\n- [ ] Buy milk, and eggs\n- [ ] Call Bob'), /^This is plain text/],
  [
    'TickTick.csv',
    text('"Date: 2026-11-28"\n"Version: 7.1"\nTitle,List,Tags\na,b,c\nd,e,f\ng,h,i'),
    /Delete all lines above/,
  ],
  ['Tasks.csv.gz', gzipSync('Title\nOne'), /gzip/],
  ['Tasks.7z', Buffer.from('7z\xbc\xaf\x27\x1c', 'latin1'), /7-Zip/],
  ['docket.db', text('SQLite format 3\0'), /SQLite database.*docket restore/],
  [
    'backup.zip',
    zip('docket-2026/docket.db', 'docket-2026/manifest.json', 'docket-2026/SHA256SUMS'),
    /backup of a whole Docket/,
  ],
  ['backup.tar', tar('docket.db'), /backup of a whole Docket/],
  ['source.tar', tar('readme.md'), /tar archive, but none that Docket has made/],
  ['Program', Buffer.from('\x7fELF\x02\x01\x01\0\0\0\0', 'latin1'), /no text that Docket can read/],
  ['Tasks.csv', Buffer.from('Title,Due\nOne,\n', 'utf16le'), /UTF-16 without a byte order mark/],
  ['Blank.csv', text('\n  \n'), /^The file is empty\.$/],
  ['Head.csv', text('Title,Status\n'), /^The table has no rows/],
  ['Asana.json', json({ data: [{ gid: '1', name: 'One' }] }), /Asana as JSON/],
  ['Jira.json', json({ issues: [{ key: 'A-1', fields: { summary: 'One' } }] }), /Jira as JSON/],
  [
    'Tasks.json',
    json({ kind: 'tasks#taskLists', items: [{ kind: 'tasks#tasks' }] }),
    /Google Tasks/,
  ],
  [
    'data.json',
    json([{ title: 'P', hex_color: '', buckets: [], tasks: [] }]),
    /Vikunja. Upload the whole ZIP/,
  ],
  ['cards.json', json([{ id: '1', name: 'One', idBoard: 'b' }]), /Trello. Export the board/],
  ['package.json', json({ name: 'tool', version: '1.0.0' }), /no export that Docket knows/],
  ['numbers.json', json([1, 2, 3]), /no export that Docket knows/],
  ['Two.zip', zip('Export/A.csv', 'Export/B.csv'), /several tables: "A\.csv", "B\.csv"/],
  [
    'Nested.zip',
    zip('Export-Part-1.zip'),
    /another archive or document in it: "Export-Part-1\.zip"/,
  ],
  [
    'Photos.zip',
    zip('a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', '__MACOSX/a.jpg'),
    /"a\.jpg", "b\.jpg", "c\.jpg" and 1 more/,
  ],
  ['Nothing.zip', zip('__MACOSX/._x'), /^The ZIP archive is empty\.$/],
]

const TABLE = text('Name,Status\nPlan trip,To do')
const ISSUES = json([{ number: 1, title: 'One', html_url: 'https://github.com/a/b/issues/1' }])

/** ZIP archives with one file of use, and what that is. */
const ZIPPED: [name: string, files: Record<string, Buffer>, kind: string, title: string][] = [
  ['any.zip', { 'Export/Tasks 1.csv': TABLE }, 'csv', 'Plan trip'],
  [
    'mac.zip',
    { 'Tasks.csv': TABLE, '__MACOSX/._Tasks.csv': text('x'), '.DS_Store': text('x') },
    'csv',
    'Plan trip',
  ],
  [
    'notion.zip',
    { 'Plan 1a2b.csv': text('Name\nSome'), 'Plan 1a2b_all.csv': TABLE, 'Plan/Trip.md': text('#') },
    'csv',
    'Plan trip',
  ],
  ['jira.zip', { 'Jira.csv': text('Summary,Issue key\nOne,A-1\n') }, 'jira', 'One'],
  ['issues.zip', { 'issues.json': ISSUES }, 'github', 'One'],
  [
    'board.zip',
    { 'board.json': json({ name: 'B', cards: [{ id: 'c', name: 'One' }] }) },
    'trello',
    'One',
  ],
]

for (const engine of ENGINES) {
  test(`says what a file is that cannot be imported, and what to do (${engine})`, async () => {
    const docket = await fresh(engine)
    for (const [name, bytes, advice] of FOREIGN) {
      const reason = await refusalOf(docket, name, await bytes)
      assert.match(reason, advice, name)
      assert.match(reason, /\.$/)
    }
  })

  test(`opens a ZIP archive with one table or export (${engine})`, async () => {
    const docket = await fresh(engine)
    for (const [name, files, kind, title] of ZIPPED) {
      const { ready, projects } = await importFile(docket, name, await createZip(files))
      assert.equal(ready.kind, kind, name)
      assert.deepEqual(
        [...projects.values()].flatMap(({ tasks }) => tasks.map((one) => one.title)),
        [title],
      )
    }
    // A kind that a person chooses holds for the file in the archive.
    const table = await createZip({ 'Tasks.csv': text('Summary,Issue key\nOne,A-1\n') })
    const { ready } = await importFile(docket, 'Tasks.zip', table, 'csv')
    assert.equal(ready.kind, 'csv')
  })
}

test('says what a file is to a person who has chosen another kind', async () => {
  const docket = await fresh('sqlite')
  const importer = await createImporter(docket, await createTestWorkspace(docket.storage))
  const { id } = await importer.upload('Plan.xlsx', await zip('xl/workbook.xml'))
  for (const kind of [null, 'csv', 'github', 'docket']) {
    if (kind !== null) await importer.choose(id, { kind })
    await importer.work()
    assert.match((await importer.get(id)).error ?? '', /^This is an Excel workbook/, String(kind))
  }
})
