import { buildWeb } from '../server/src/platform/web/web-build.ts'

// What the first start does, for those who may not write there later: the built web app, compressed, for the server.
const built = await buildWeb(console.log, new AbortController().signal)
console.log(built ? 'The web app is built.' : 'The web app is built already.')
