import type { FastifyInstance } from 'fastify'
import { unsubscribe } from '#db/notifications/notification-emails.ts'
import { html } from '../api-reference/html/html.ts'
import { messagePage } from '../api-reference/site/message-pages.ts'
import type { AppContext } from '../app-context.ts'
import { countMalformedRequests } from '../pipeline/admission.ts'
import type { RequestHandler } from '../pipeline/request-handler.ts'
import { sendReply } from '../reply/send.ts'
import { collectBody, MAX_OPEN_BODY_BYTES } from '../request/json-body.ts'
import { documentHeaders } from '../web-app/serve-web-app.ts'

const PATH = '/unsubscribe/:token'

/**
 * Serves one-click unsubscription from emails (RFC 8058): a POST by a mail program or from the
 * page unsubscribes. A GET only shows the page, because link scanners open links before people do.
 * Returns the methods of the path.
 */
export function serveUnsubscribe(
  server: FastifyInstance,
  context: AppContext,
): Record<string, string[]> {
  const { storage, limits } = context
  const headers = documentHeaders({ referrer: 'no-referrer' })
  const showPage: RequestHandler = (request, reply) =>
    sendReply(request, reply, { status: 200, body: unsubscribePage(), headers })
  const endEmails: RequestHandler = async (request, reply) => {
    // A mail program sends a small body, which is ignored.
    await collectBody(request.raw, MAX_OPEN_BODY_BYTES)
    const { token = '' } = request.params as { token?: string }
    if (await unsubscribe(storage, token)) {
      return sendReply(request, reply, { status: 200, body: unsubscribedPage(), headers })
    }
    limits.address(request.ip)
    return sendReply(request, reply, { status: 404, body: invalidUnsubscribePage(), headers })
  }
  server.get(PATH, showPage)
  server.post(PATH, countMalformedRequests(context, endEmails))
  return { [PATH]: ['GET', 'HEAD', 'POST'] }
}

/** Asks for confirmation before unsubscribing. The form posts to the URL of the page. */
const unsubscribePage = (): string =>
  messagePage({
    heading: 'No more mails?',
    text: html`What you are told in the inbox of the workspace stays, and in your profile you can have mails again.`,
    acts: html`<form method="post"><button class="btn primary">No more mails of this workspace</button></form>`,
  })

/** Confirms the unsubscription, also if it is repeated. */
const unsubscribedPage = (): string =>
  messagePage({
    heading: 'There will be no more mails.',
    text: html`This workspace sends you none about notifications from now on. In your profile you can have them again.`,
  })

/** The page for an invalid unsubscribe link; sent with status 404. */
const invalidUnsubscribePage = (): string =>
  messagePage({
    number: 404,
    heading: 'This address ends no mails.',
    text: html`It may have been cut off in your mail program, or you have left the workspace. Under Profile you can choose what you are told.`,
  })
