import type { ReactNode } from 'react'
import type { DeliveryDetails } from '#resources/deliveries/contract.ts'
import { number } from '../../../messages/plural.ts'
import { m } from '../../../messages/webhooks.ts'

/** The last request and its answer, as text: nothing of it is ever interpreted. */
export function Exchange({ details: { request, attempts } }: { details: DeliveryDetails }) {
  const last = attempts.at(-1)
  return (
    <div className="line">
      <span className="gut" />
      <div className="two">
        <div>
          <h3>{m.request}</h3>
          {request ? (
            <Code label={m.request}>
              <span className="k">{m.requestLine(pathOf(request.url))}</span>
              {Object.entries(request.headers).map(([name, value]) => (
                <span key={name}>
                  {'\n'}
                  <b>{name}:</b> {value}
                </span>
              ))}
              {`\n\n${pretty(request.body)}`}
            </Code>
          ) : (
            <p className="quiet">{m.notSent}</p>
          )}
        </div>
        <div>
          <h3>{m.response}</h3>
          {last ? (
            <Code label={m.response}>
              <span className={last.error === null ? 'ok' : 'bad'}>
                {m.result(
                  last.response_status,
                  last.error === null ? '' : (m.errors[last.error] ?? last.error),
                )}
              </span>
              {`, ${number(last.duration_ms)} ms\n\n`}
              {last.response_body ?? (last.response_status === null ? m.noAnswer : m.emptyAnswer)}
            </Code>
          ) : (
            <p className="quiet">{m.notSent}</p>
          )}
        </div>
      </div>
    </div>
  )
}

function Code({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section
      className="code"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keys
      tabIndex={0}
    >
      <pre>{children}</pre>
    </section>
  )
}

const pathOf = (url: string): string => {
  const { pathname = '/', search = '' } = URL.parse(url) ?? {}
  return pathname + search
}

/** JSON with line breaks, to be read; the bytes that were sent are in the command to copy. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
