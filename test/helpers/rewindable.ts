import type { PGlite } from '@electric-sql/pglite';
import type { EmbeddedServer } from '../../src/platform/db/pglite-dialect.ts';

/** What of the memory is looked at as one. Bytes. */
const PAGE = 65_536;
/** One that has grown to so many times of what it was begins anew instead. */
const GROWN = 2;

/** A file, folder or device of the file system in memory that the compiler (Emscripten) gives PGlite. */
interface FileNode {
  name: string;
  parent: FileNode;
  name_next?: FileNode;
  mode: number;
  usedBytes: number;
  contents?: Uint8Array | Record<string, FileNode> | null;
}

interface OpenFile {
  fd: number | null;
  shared: object;
}

/** The parts of PGlite's module that hold everything it knows. */
interface Machine {
  HEAPU8: Uint8Array;
  FS: {
    root: FileNode;
    nameTable: (FileNode | undefined)[];
    streams: (OpenFile | null | undefined)[];
    nextInode: number;
  };
}

const isData = (contents: FileNode['contents']): contents is Uint8Array => ArrayBuffer.isView(contents);

function nodesOf(node: FileNode): FileNode[] {
  const { contents } = node;
  return [node, ...(isData(contents) ? [] : Object.values(contents ?? {}).flatMap(nodesOf))];
}

/** The same bytes in a file's buffer, which is not made again when it suffices. */
function refill(buffer: Uint8Array, saved: Uint8Array): Uint8Array {
  if (buffer.length < saved.length || buffer.length > 2 * saved.length + PAGE) return saved.slice();
  buffer.set(saved);
  return buffer.fill(0, saved.length);
}

function saveFile(node: FileNode): () => void {
  const { name, parent, name_next: next, mode, usedBytes, contents } = node;
  const saved = isData(contents) ? contents.slice(0, usedBytes) : contents && { ...contents };
  return () => {
    Object.assign(node, { name, parent, name_next: next, mode, usedBytes });
    if (isData(saved)) node.contents = isData(node.contents) ? refill(node.contents, saved) : saved.slice();
    else if (saved !== undefined) node.contents = saved && { ...saved };
  };
}

function saveFiles({ FS }: Machine): () => void {
  const files = nodesOf(FS.root).map(saveFile);
  const { nextInode, nameTable, streams } = FS;
  const names = [...nameTable];
  const open = streams.map((file) => file && { file, shared: { ...file.shared } });
  return () => {
    for (const restore of files) restore();
    FS.nextInode = nextInode;
    nameTable.splice(0, nameTable.length, ...names);
    streams.splice(0, streams.length, ...open.map((one) => one && one.file));
    for (const [fd, one] of open.entries()) {
      if (!one) continue;
      one.file.fd = fd;
      Object.assign(one.file.shared, one.shared);
    }
  };
}

function saveMemory(machine: Machine): () => void {
  const zeros = new Uint8Array(PAGE);
  const pages = new Map<number, Uint8Array>();
  const memory = machine.HEAPU8;
  for (let at = 0; at < memory.length; at += PAGE) {
    const page = memory.subarray(at, at + PAGE);
    if (Buffer.compare(page, zeros) !== 0) pages.set(at, page.slice());
  }
  return () => {
    const now = machine.HEAPU8;
    for (let at = 0; at < now.length; at += PAGE) now.set(pages.get(at) ?? zeros, at);
  };
}

/**
 * An embedded database that can go back to what it was when this was made, in a twentieth of the time in which another one begins: its
 * memory and its files are written back. Between two statements that is all there is of it.
 */
class Rewindable {
  readonly pglite: PGlite;
  readonly #machine: Machine;
  readonly #size: number;
  readonly #restore: readonly (() => void)[];

  constructor(pglite: PGlite) {
    this.pglite = pglite;
    this.#machine = pglite.Module as unknown as Machine;
    this.#size = this.#machine.HEAPU8.length;
    this.#restore = [saveMemory(this.#machine), saveFiles(this.#machine)];
  }

  get isGrown(): boolean {
    return this.#machine.HEAPU8.length > GROWN * this.#size;
  }

  rewind(): void {
    for (const restore of this.#restore) restore();
  }
}

/**
 * What PostgreSQL loads when it is first needed, of what our statements need. A part of PGlite outside of its memory knows what is loaded,
 * so it has to be before the beginning that is gone back to.
 */
const LIBRARIES = ['plpgsql', 'dict_snowball'];

/** Loads those, and lets each table be read once: what that keeps in memory is there from the beginning then. */
async function warm(pglite: PGlite): Promise<void> {
  for (const name of LIBRARIES) await pglite.query(`load '${name}'`);
  const { rows } = await pglite.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
  );
  for (const { name } of rows) await pglite.query(`select * from ${name} limit 0`);
}

/** Equal embedded databases, for one user after the other. */
export class RewindablePool {
  readonly #open: () => Promise<PGlite>;
  readonly #free: Rewindable[] = [];

  /** @param open a new one, as each is to be at first */
  constructor(open: () => Promise<PGlite>) {
    this.#open = open;
  }

  async #another(): Promise<Rewindable> {
    const pglite = await this.#open();
    await warm(pglite);
    return new Rewindable(pglite);
  }

  /** Nobody else's until it is closed. */
  async take(): Promise<EmbeddedServer> {
    const used = this.#free.pop();
    used?.rewind();
    const mine = used ?? (await this.#another());
    const { pglite } = mine;
    let closed = false;
    return {
      waitReady: pglite.waitReady,
      get closed() {
        return closed;
      },
      query: async (...args) => {
        if (closed) throw new Error('PGlite is closed');
        return pglite.query(...args);
      },
      dumpDataDir: (compression) => pglite.dumpDataDir(compression),
      close: async () => {
        if (closed) return;
        closed = true;
        if (mine.isGrown) await pglite.close();
        else this.#free.push(mine);
      },
    };
  }
}
