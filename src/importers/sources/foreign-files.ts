import { UnreadableFileError } from '../formats/unreadable-file-error.ts'

const AS_CSV = 'Save the table as CSV (UTF-8), and upload that.'
const EXPORT_AS_CSV = 'Export your tasks as CSV, and upload that.'
const UNPACK = 'Unpack it, and upload the file in it.'
const DATABASE =
  'This is a SQLite database. If it is of a Docket backup, restore that with docket restore. To move one workspace, create an archive under Settings, Workspace, Export, and upload that.'

/** The first bytes of formats that are no text, and what to do with such a file. */
const SIGNATURES: [bytes: string, at: number, advice: string][] = [
  ['%PDF', 0, `This is a PDF. ${EXPORT_AS_CSV}`],
  ['\x89PNG', 0, `This is an image. ${EXPORT_AS_CSV}`],
  ['\xff\xd8\xff', 0, `This is an image. ${EXPORT_AS_CSV}`],
  ['GIF8', 0, `This is an image. ${EXPORT_AS_CSV}`],
  ['WEBP', 8, `This is an image. ${EXPORT_AS_CSV}`],
  ['ftyphei', 4, `This is an image. ${EXPORT_AS_CSV}`],
  ['ftypmif', 4, `This is an image. ${EXPORT_AS_CSV}`],
  ['II*\0', 0, `This is an image. ${EXPORT_AS_CSV}`],
  ['MM\0*', 0, `This is an image. ${EXPORT_AS_CSV}`],
  ['\xd0\xcf\x11\xe0', 0, `This is a document of an older Excel, Word or Project. ${AS_CSV}`],
  ['{\\rtf', 0, `This is a document with formatting (RTF). ${AS_CSV}`],
  ['SQLite format 3\0', 0, DATABASE],
  ['\x1f\x8b', 0, `This file is compressed with gzip. ${UNPACK}`],
  ['7z\xbc\xaf', 0, `This is a 7-Zip archive. ${UNPACK}`],
  ['Rar!', 0, `This is a RAR archive. ${UNPACK}`],
  ['BZh', 0, `This file is compressed with bzip2. ${UNPACK}`],
  ['\xfd7zXZ', 0, `This file is compressed with xz. ${UNPACK}`],
  ['(\xb5/\xfd', 0, `This file is compressed with Zstandard. ${UNPACK}`],
  ['bplist', 0, `This is a property list of Apple. ${EXPORT_AS_CSV}`],
]

/** The begin of formats that are text but no table. */
const TEXTS: [RegExp, string][] = [
  [/^(?:<!doctype html|<html|<head|<body|<table)/i, `This is a web page. ${EXPORT_AS_CSV}`],
  [/^(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*>\s*)?<svg/i, `This is an image. ${EXPORT_AS_CSV}`],
  [/^(?:<\?xml|<rss|<opml|<en-export|<!DOCTYPE|<plist)/i, `This is XML. ${EXPORT_AS_CSV}`],
  [/^BEGIN:VCALENDAR/i, `This is a calendar (iCalendar). ${EXPORT_AS_CSV}`],
  [/^BEGIN:VCARD/i, 'These are contacts (vCard), which are no tasks.'],
  [/^-----BEGIN /, 'This is a key or a certificate, which has no tasks.'],
  [/^(?:From: |Received: |Return-Path: |MIME-Version: )/i, `This is an email. ${EXPORT_AS_CSV}`],
]

const BOMS = ['\xff\xfe', '\xfe\xff']

/** Throws for a file that is no text, with what it is and what to do. */
export function assertSupportedBytes(bytes: Buffer, text: string): void {
  const raw = bytes.toString('latin1', 0, 1_024)
  const found = SIGNATURES.find(([signature, at]) => raw.startsWith(signature, at))
  if (found) throw new UnreadableFileError(found[2])
  if (raw.startsWith('ustar', 257)) throw new UnreadableFileError(tarAdvice(text))
  if (BOMS.some((mark) => raw.startsWith(mark))) return
  // Text of any encoding without a byte order mark but UTF-16 and UTF-32 has no zero byte.
  if (raw.includes('\0')) throw new UnreadableFileError(binaryAdvice(raw))
}

const tarAdvice = (text: string): string =>
  /^[^\0]*(?:docket\.db|SHA256SUMS|tables\/)/.test(text) || text.includes('docket.db\0')
    ? 'This is a backup of a whole Docket installation. Restore it with docket restore. To move one workspace, create an archive under Settings, Workspace, Export, and upload that.'
    : 'This is a tar archive, but none that Docket has made. Unpack it, and upload the file with your tasks.'

/** Every second byte of Western text in UTF-16 is zero. */
const binaryAdvice = (raw: string): string =>
  /^(?:[^\0]\0){4}|^(?:\0[^\0]){4}/.test(raw)
    ? 'The file is in UTF-16 without a byte order mark. Save it as CSV (UTF-8), and upload that.'
    : `This is no text that Docket can read. ${EXPORT_AS_CSV}`

/** Throws for a text that is no table and no JSON, with what it is and what to do. */
export function assertSupportedText(start: string): void {
  const advice = TEXTS.find(([pattern]) => pattern.test(start))?.[1]
  if (advice !== undefined) throw new UnreadableFileError(advice)
}
