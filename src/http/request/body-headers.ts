import type { IncomingMessage } from 'node:http'

/** Whether the headers announce a body, which may still turn out to be empty. */
export const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Whether the body is compressed, which no endpoint accepts. */
export const hasContentCoding = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  (headers['content-encoding']?.trim().toLowerCase() ?? 'identity') !== 'identity'
