import { refusals } from '../../messages/app/refusals.ts'
import type { ProblemBody, ProblemDetail } from './problem.ts'

/** An error of the API in words for a person, who knows no names of fields and reads one reason at a time. */
export function toPersonWords<P extends Omit<ProblemBody, 'request_id'>>(problem: P): P {
  const details = problem.details.map((detail) => ({ ...detail, message: toReason(detail) }))
  const message = details[0]?.message ?? toReason({ field: '', ...problem })
  return { ...problem, message, details }
}

function toReason({ field, code, message }: Omit<ProblemDetail, 'resource_id'>): string {
  const [name] = field.split(/[[.]/)
  const reason = refusals[`${name}.${code}`] ?? refusals[code]
  const [number] = message.match(/\d[\d,]*/) ?? []
  // Without its number a reason says less than the server's message does.
  if (reason !== undefined && (number !== undefined || !reason.includes('#')))
    return reason.replace('#', number ?? '')
  // The message of a field begins with its name, in backticks as all names, which mean nothing on a screen.
  const text = field === '' ? message : message.replace(/^`[^`]*`/, 'This')
  return text.replaceAll('`', '')
}
