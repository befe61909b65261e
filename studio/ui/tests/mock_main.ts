// npm run mock [PORT]: the page with the server of the tests behind it.
import { MockServer } from './mock_server';

const server = new MockServer(new URL('../dist', import.meta.url).pathname);
console.log(await server.start(Number(process.argv[2] ?? 8765)));
