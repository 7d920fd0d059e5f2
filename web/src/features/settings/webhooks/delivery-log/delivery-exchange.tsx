import type { ReactNode } from 'react'
import type { DeliveryDetails } from '#resources/deliveries/contract.ts'
import { parseUrl } from '../../../../lib/text/parse-url.ts'
import { formatNumber } from '../../../../messages/plural.ts'
import { webhookMessages } from '../../../../messages/settings/webhooks.ts'

/**
 * The last request and its response as plain text. Responses come from foreign servers, so nothing
 * of them is interpreted.
 */
export function DeliveryExchange({ details: { request, attempts } }: { details: DeliveryDetails }) {
  const lastAttempt = attempts.at(-1)
  return (
    <div className="line">
      <span className="gut" />
      <div className="two">
        <div>
          <h3>{webhookMessages.request}</h3>
          {request ? (
            <CodeBlock label={webhookMessages.request}>
              <span className="k">{webhookMessages.requestLine(getPath(request.url))}</span>
              {Object.entries(request.headers).map(([name, value]) => (
                <span key={name}>
                  {'\n'}
                  <b>{name}:</b> {value}
                </span>
              ))}
              {`\n\n${formatJson(request.body)}`}
            </CodeBlock>
          ) : (
            <p className="quiet">{webhookMessages.notSent}</p>
          )}
        </div>
        <div>
          <h3>{webhookMessages.response}</h3>
          {lastAttempt ? (
            <CodeBlock label={webhookMessages.response}>
              <span className={lastAttempt.error === null ? 'ok' : 'bad'}>
                {webhookMessages.result(
                  lastAttempt.response_status,
                  lastAttempt.error === null
                    ? ''
                    : (webhookMessages.errors[lastAttempt.error] ?? lastAttempt.error),
                )}
              </span>
              {`, ${formatNumber(lastAttempt.duration_ms)} ms\n\n`}
              {lastAttempt.response_body ??
                (lastAttempt.response_status === null
                  ? webhookMessages.noAnswer
                  : webhookMessages.emptyAnswer)}
            </CodeBlock>
          ) : (
            <p className="quiet">{webhookMessages.notSent}</p>
          )}
        </div>
      </div>
    </div>
  )
}

function CodeBlock({ label, children }: { label: string; children: ReactNode }) {
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

const getPath = (url: string): string => {
  const { pathname = '/', search = '' } = parseUrl(url) ?? {}
  return pathname + search
}

/** JSON with line breaks for reading; the curl command contains the bytes that were sent. */
function formatJson(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
