import { refusals } from '../../messages/app/refusals.ts'
import type { ProblemBody, ProblemDetail } from './problem.ts'

/** An error of the API in words for a person, who knows no names of fields and reads one reason at a time. */
export function toPersonWords<P extends Omit<ProblemBody, 'request_id'>>(
  problem: P,
  reasons = refusals,
): P {
  const details = problem.details.map((detail) => ({
    ...detail,
    message: toReason(detail, reasons),
  }))
  const message = details[0]?.message ?? toReason({ field: '', ...problem }, reasons)
  return { ...problem, message, details }
}

function toReason(
  { field, code, message }: Omit<ProblemDetail, 'resource_id'>,
  reasons: typeof refusals,
): string {
  const [name] = field.split(/[[.]/)
  const [number] = message.match(/\d[\d,]*/) ?? []
  // "must not be empty" has no number: then something is missing.
  const meaning = code === 'too_short' && number === undefined ? 'required' : code
  const reason = reasons[`${name}.${meaning}`] ?? reasons[meaning]
  // Without its number a reason says less than the server's message does.
  if (reason !== undefined && (number !== undefined || !reason.includes('#')))
    return reason.replace('#', number ?? '')
  // The message of a field begins with its name, in backticks as all names, which mean nothing on a screen.
  const text = field === '' ? message : message.replace(/^`[^`]*`/, 'This')
  return text.replaceAll('`', '')
}
