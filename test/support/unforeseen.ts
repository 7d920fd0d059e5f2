/** Loaded into a server by NODE_OPTIONS: on a signal it fails as nobody foresaw. */
process.on('SIGUSR2', () => void Promise.reject(new Error('unforeseen rejection')))
process.on('SIGHUP', () => {
  throw new Error('unforeseen error')
})
