/** Sends a request of the page. The error of a missing reply says so in words. */
export async function fetchReply(url, options = {}) {
  try {
    return await fetch(url, { ...options, cache: 'no-store' })
  } catch {
    throw new Error('Docket did not reply. Check your connection and try again.')
  }
}

/** The session of the browser; undefined if nobody is signed in. */
export async function loadSession() {
  const response = await fetchReply('/internal/session')
  if (response.status === 401) return undefined
  const body = await response.json()
  if (!response.ok) throw new Error(body.error.message)
  return body
}
