import type { putPushDevice } from '#resources/push-devices/internal.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'

/** What this browser can do about notifications. */
type PushSupport = 'unsupported' | 'blocked' | 'available'

/** On an iPhone only an app on the Home Screen has a PushManager. */
export function readPushSupport(): PushSupport {
  const has = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window
  if (!has) return 'unsupported'
  return Notification.permission === 'denied' ? 'blocked' : 'available'
}

/**
 * Asks the person for permission and registers this browser. Does nothing if they refuse. Call it in
 * the handler of a click: otherwise some browsers do not ask.
 */
export async function turnOnPush(public_key: string): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') return
  await (await import('../offline/service-worker.ts')).registerServiceWorker()
  const { pushManager } = await navigator.serviceWorker.ready
  const subscription = await subscribe(pushManager, public_key)
  const { endpoint = '', keys: { p256dh = '', auth = '' } = {} } = subscription.toJSON()
  const body = { endpoint, keys: { p256dh, auth } }
  await requestEndpoint<typeof putPushDevice>('PUT /internal/push', { body })
}

async function subscribe(manager: PushManager, public_key: string): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey: public_key }
  try {
    return await manager.subscribe(options)
  } catch (error) {
    // The browser has a subscription for another key, which the installation has no more.
    const former = await manager.getSubscription()
    if (!former) throw error
    await former.unsubscribe()
    return manager.subscribe(options)
  }
}
