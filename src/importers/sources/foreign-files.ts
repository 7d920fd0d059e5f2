import type { ImportErrorCode } from '#resources/imports/internal.ts'
import { UnreadableFileError } from '../formats/unreadable-file-error.ts'

/** The first bytes of formats that are no text. */
const SIGNATURES: [bytes: string, at: number, code: ImportErrorCode, value?: string][] = [
  ['%PDF', 0, 'is_pdf'],
  ['\x89PNG', 0, 'is_image'],
  ['\xff\xd8\xff', 0, 'is_image'],
  ['GIF8', 0, 'is_image'],
  ['WEBP', 8, 'is_image'],
  ['ftyphei', 4, 'is_image'],
  ['ftypmif', 4, 'is_image'],
  ['II*\0', 0, 'is_image'],
  ['MM\0*', 0, 'is_image'],
  ['\xd0\xcf\x11\xe0', 0, 'is_old_office'],
  ['{\\rtf', 0, 'is_rtf'],
  ['SQLite format 3\0', 0, 'is_database'],
  ['\x1f\x8b', 0, 'is_compressed', 'gzip'],
  ['7z\xbc\xaf', 0, 'is_compressed', '7-Zip'],
  ['Rar!', 0, 'is_compressed', 'RAR'],
  ['BZh', 0, 'is_compressed', 'bzip2'],
  ['\xfd7zXZ', 0, 'is_compressed', 'xz'],
  ['(\xb5/\xfd', 0, 'is_compressed', 'Zstandard'],
  ['bplist', 0, 'is_property_list'],
]

/** The begin of formats that are text but no table. */
const TEXTS: [RegExp, ImportErrorCode][] = [
  [/^(?:<!doctype html|<html|<head|<body|<table)/i, 'is_web_page'],
  [/^(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*>\s*)?<svg/i, 'is_image'],
  [/^(?:<\?xml|<rss|<opml|<en-export|<!DOCTYPE|<plist)/i, 'is_xml'],
  [/^BEGIN:VCALENDAR/i, 'is_calendar'],
  [/^BEGIN:VCARD/i, 'is_contacts'],
  [/^-----BEGIN /, 'is_key'],
  [/^(?:From: |Received: |Return-Path: |MIME-Version: )/i, 'is_email'],
]

const BOMS = ['\xff\xfe', '\xfe\xff']

/** Throws for a file that is no text, with what it is. */
export function assertSupportedBytes(bytes: Buffer, text: string): void {
  const raw = bytes.toString('latin1', 0, 1_024)
  const found = SIGNATURES.find(([signature, at]) => raw.startsWith(signature, at))
  if (found) {
    const [, , code, value = ''] = found
    throw new UnreadableFileError(code, { value })
  }
  if (raw.startsWith('ustar', 257)) throw new UnreadableFileError(tarCode(text))
  if (BOMS.some((mark) => raw.startsWith(mark))) return
  // Text of any encoding without a byte order mark but UTF-16 and UTF-32 has no zero byte.
  if (raw.includes('\0')) throw new UnreadableFileError(binaryCode(raw))
}

const tarCode = (text: string): ImportErrorCode =>
  /^[^\0]*(?:docket\.db|SHA256SUMS|tables\/)/.test(text) || text.includes('docket.db\0')
    ? 'is_backup'
    : 'is_tar'

/** Every second byte of Western text in UTF-16 is zero. */
const binaryCode = (raw: string): ImportErrorCode =>
  /^(?:[^\0]\0){4}|^(?:\0[^\0]){4}/.test(raw) ? 'is_utf16' : 'is_binary'

/** Throws for a text that is no table and no JSON, with what it is. */
export function assertSupportedText(start: string): void {
  const code = TEXTS.find(([pattern]) => pattern.test(start))?.[1]
  if (code !== undefined) throw new UnreadableFileError(code)
}
