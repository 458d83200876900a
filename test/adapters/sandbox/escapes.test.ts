/**
 * What a confined command may try, and what it may do. After each attempt nothing outside the worktree has changed, no
 * secret was said, no server was reached, and the process outside lives.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Grounds, grounds, MARKER, whyNot } from './grounds.ts'

const missing = await whyNot()
if (missing !== null) console.warn(`Skipped: escapes from the sandbox are not tried, because ${missing}`)

/** `@HOME`, `@REPO`, `@WT`, `@TOP`, `@PORT`, `@SOCKET` and `@PID` are filled in. */
const ESCAPES: readonly string[] = [
  // Writing outside.
  'echo x > @TOP/elsewhere/secret.txt',
  'echo x > @HOME/new.txt',
  'echo x >> @HOME/.ssh/authorized_keys',
  'echo x > @REPO/neo.yaml',
  'echo x > @REPO/src/main.txt',
  'echo x > ../../../neo.yaml',
  'echo x > ../other/x.txt',
  'rm -rf ../other',
  'rm -rf @HOME @TOP/elsewhere 2>/dev/null',
  'mv src ../../../moved',
  'cp -r src @TOP/elsewhere/',
  'mkdir -p @HOME/.config/autostart && echo x > @HOME/.config/autostart/x',
  'echo x > @HOME/.bashrc; echo x > ~/.profile',
  'test -w /etc -o -w /usr/bin -o -w /usr/local/bin -o -w /opt && echo marker-of-a-secret',
  'echo x > @HOME/.local/bin/own-tool',
  'rm -f @HOME/.local/bin/own-tool',
  'chmod 777 @HOME @TOP',
  "node -e \"require('fs').writeFileSync('@TOP/elsewhere/secret.txt', 'x')\"",
  'dd if=/dev/zero of=@TOP/elsewhere/secret.txt count=1',
  'tar -cf - src | tar -xf - -C @HOME',
  // Rules of the home in the worktree.
  'echo x > neo.yaml',
  'rm -f neo.yaml && echo x > neo.yaml',
  'mv neo.yaml y.yaml',
  'echo x > rooms/shop/ROOM.md',
  'rm -rf rooms',
  'mv rooms r; mkdir rooms',
  // Reading what is private.
  'cat @HOME/.ssh/id_ed25519',
  'cat ~/.ssh/id_ed25519 ~/.netrc ~/.aws/credentials',
  'cat @HOME/.config/tool/token @HOME/documents/letter.txt',
  'cat @TOP/elsewhere/secret.txt',
  'cat @REPO/untracked.txt @REPO/.neo/daemon.json',
  'cat ../other/x.txt',
  'cat @REPO/.git/neo/audit.jsonl @REPO/.git/neo/sessions/s-2/record.json',
  'find / -xdev -name "id_ed25519" -exec cat {} + 2>/dev/null; grep -rs marker-of @TOP 2>/dev/null',
  'cat /etc/shadow | grep -v "^$" | head -1 | sed "s/.*/marker-of-a-secret/"',
  'ls @HOME/.ssh >/dev/null 2>&1 && echo marker-of-a-secret',
  // Links.
  'ln -s @TOP/elsewhere/secret.txt l && cat l',
  'ln -s @TOP/elsewhere/secret.txt l2 && echo x > l2',
  'ln -s @HOME h && cat h/.netrc; echo x > h/new',
  'ln @TOP/elsewhere/secret.txt hard && cat hard',
  'ln -s / root && cat root@HOME/.netrc; echo x > root@TOP/elsewhere/new',
  'ln -s /proc/1/root r1 && cat r1@HOME/.netrc',
  // Through /proc and other processes.
  'cat /proc/1/root@HOME/.netrc /proc/1/root@TOP/elsewhere/secret.txt',
  'cat /proc/@PID/environ /proc/@PID/root@HOME/.netrc',
  'for p in /proc/[0-9]*; do cat $p/environ $p/root@HOME/.netrc $p/cwd/untracked.txt 2>/dev/null; done',
  'ls -l /proc/*/fd 2>/dev/null | grep marker; for f in /proc/self/fd/*; do readlink $f; done >/dev/null',
  'kill -9 @PID',
  'kill -0 @PID && echo marker-of-a-secret',
  'pgrep -f "slee[p] 600" && echo marker-of-a-secret',
  'test $(ls -d /proc/[0-9]* | wc -l) -gt 20 && echo marker-of-a-secret',
  'node -e "process.kill(@PID, 9)"',
  'python3 -c "import ctypes; print(ctypes.CDLL(None).ptrace(16, @PID, 0, 0))" | grep -qx 0 && echo marker-of-a-secret',
  // Only asked for, or written as it is: nothing on the machine changes where this fails.
  'test -w /proc/sysrq-trigger && echo marker-of-a-secret',
  'v=$(cat /proc/sys/kernel/core_pattern); printf "%s" "$v" > /proc/sys/kernel/core_pattern && echo marker-of-a-secret',
  'v=$(cat /proc/sys/kernel/panic_on_oops); echo $v > /proc/sys/kernel/panic_on_oops && echo marker-of-a-secret',
  'for f in $(find /proc/sys -type f -perm /200 2>/dev/null); do test -w $f && echo marker-of-a-secret $f; done',
  'for f in /proc/irq/*/smp_affinity /proc/bus/pci/*/*; do test -w $f && echo marker-of-a-secret $f; done',
  'test "$(head -c 1 /proc/kcore | wc -c)" = 1 && echo marker-of-a-secret',
  // Mounts, namespaces, devices.
  'mkdir m; mount -t tmpfs none m && echo marker-of-a-secret',
  'umount @HOME && cat @HOME/.netrc',
  'umount -l .git && echo x > .git',
  'mount -o remount,rw,bind @REPO/.git && echo x > @REPO/.git/config',
  'unshare -Urm sh -c "umount @HOME; cat @HOME/.netrc"',
  'unshare -Urm sh -c "mount -o remount,rw,bind .git; echo x > .git"',
  'nsenter -t 1 -m cat @HOME/.netrc',
  'chroot /proc/1/root cat @HOME/.netrc',
  'mknod disk b 254 0 && head -c 1 disk && echo marker-of-a-secret',
  'ls /dev/vd* /dev/sd* /dev/nvme* 2>/dev/null && echo marker-of-a-secret',
  'setpriv --reuid 0 --inh-caps +all true && grep -q "CapEff:.*[1-9a-f]" /proc/self/status && echo marker-of-a-secret',
  // The repository.
  'echo x > .git',
  'rm -f .git; mv .git y',
  'rm -f .git && git init -q .',
  'echo "#!/bin/sh" > @REPO/.git/hooks/pre-commit',
  'echo "#!/bin/sh" > $(git rev-parse --git-path hooks)/pre-commit',
  'git config core.fsmonitor "sh -c x"',
  'git config core.hooksPath hooks',
  'git config --worktree core.hooksPath hooks',
  'git commit -q --allow-empty -m x',
  'git add . && git stash',
  'git update-ref refs/heads/main neo/s-1~0 && git branch x',
  'git branch -f main HEAD; git tag x; git checkout -q -b y',
  'echo x > @REPO/.git/HEAD; echo x > @REPO/.git/refs/heads/main; rm -f @REPO/.git/index',
  'rm -rf @REPO/.git/objects; git gc -q --prune=now',
  'git worktree remove --force ../other; git worktree add -q ../z; git worktree prune',
  'git -c core.worktree=@REPO checkout -f',
  'GIT_DIR=@REPO/.git GIT_WORK_TREE=@REPO git checkout -f main',
  // Network.
  "node -e \"require('net').connect(@PORT, '127.0.0.1').on('data', (d) => console.log(String(d))).on('error', () => {})\"",
  'bash -c "cat < /dev/tcp/127.0.0.1/@PORT"',
  "node -e \"require('net').connect('@SOCKET').on('data', (d) => console.log(String(d))).on('error', () => {})\"",
  'ip link 2>/dev/null | grep -E "eth0|ens|enp" && echo marker-of-a-secret',
  "node -e \"const n = require('os').networkInterfaces(); console.log(Object.keys(n).some((k) => k !== 'lo') ? 'marker-of-a-secret' : 1)\"",
  'ls /run/docker.sock /var/run/docker.sock /run/dbus 2>/dev/null && echo marker-of-a-secret',
  // Environment.
  'env; echo $SERVICE_KEY',
  'cat /proc/1/environ /proc/self/environ | tr "\\0" "\\n"',
  'node -e "console.log(process.env)"',
  // What outlives the command.
  '(sleep 30; echo x > @TOP/elsewhere/late) & setsid sh -c "sleep 30; kill -9 @PID" & exit 0',
]

const LEGAL: readonly string[] = [
  'true',
  'pwd',
  'ls -la',
  'echo x > new.txt && cat new.txt',
  'mkdir -p a/b/c && touch a/b/c/d',
  'mv new.txt newer.txt && cp newer.txt new.txt && rm newer.txt',
  'ln -s src link && cat link/main.txt',
  'chmod +x new.txt && test -x new.txt',
  'cat src/main.txt | sort | uniq -c | head -1',
  'grep -rn inside src',
  'find . -name "*.txt" | xargs wc -l',
  'sed -i s/inside/changed/ src/main.txt && awk "{print}" src/main.txt',
  'for i in 1 2 3; do echo $i; done > numbers && test $(wc -l < numbers) = 3',
  'test -n "$HOME" && cd && touch x && test -f ~/x',
  'd=$(dirname $(mktemp -u)) && echo x > $d/x && cat $d/x && rm $d/x',
  'f=$(mktemp) && echo x > $f && cat $f',
  'mktemp -d',
  'echo x > /var/tmp/x',
  'echo x > /dev/shm/x && echo x > /dev/null && head -c 8 /dev/urandom >/dev/null',
  'test "$GIVEN" = given',
  'own-tool | grep -q "own tool"',
  'git status',
  'git status --porcelain | grep -q src/main.txt',
  'git diff --stat',
  'git log --oneline | grep -q first',
  'git show HEAD:src/main.txt',
  'git branch --show-current | grep -qx neo/s-1',
  'git ls-files | grep -q Makefile',
  'git blame Makefile',
  'git grep -n made',
  'git rev-parse --show-toplevel | grep -qx @WT',
  'node --version',
  "node -e \"require('fs').writeFileSync('by-node.txt', 'x')\"",
  'npm --version',
  'npm init -y >/dev/null && test -f package.json',
  'npm pkg set scripts.test="echo tested" && npm test | grep -q tested',
  "node -e \"require('child_process').execSync('true')\"",
  "node -e \"require('worker_threads'); new (require('worker_threads').Worker)('1', {eval: true})\"",
  'make',
  'printf "int main(){return 0;}" > x.c && gcc -o x x.c && ./x',
  'sleep 0.1 & wait',
  'sh -c "kill -TERM \\$\\$" ; test $? = 143',
  'sleep 5 & kill $!',
  'ps aux | grep -q sh',
  'timeout 5 true',
  'tar -czf t.tgz src && tar -tzf t.tgz | grep -q main',
  'date && uname -a && id && hostname && nproc',
  'date -d @0 >/dev/null && TZ=Asia/Tokyo date',
  'perl -e "print 1" && python3.11 --version',
  "node -e \"const s = require('http').createServer((q, r) => r.end('hi')).listen(0, '127.0.0.1', () => fetch('http://127.0.0.1:' + s.address().port).then((r) => r.text()).then((t) => process.exit(t === 'hi' ? 0 : 1)))\"",
  'test "$(cat ../s-1/new.txt)" = x',
  'bash -c "diff <(echo a) <(echo a)"',
]

describe.skipIf(missing !== null)('a confined command', () => {
  let at: Grounds
  const filled = (line: string) =>
    line
      .replaceAll('@HOME', at.home)
      .replaceAll('@REPO', at.repository)
      .replaceAll('@WT', at.worktree)
      .replaceAll('@TOP', at.top)
      .replaceAll('@PORT', String(at.port))
      .replaceAll('@SOCKET', at.socket)
      .replaceAll('@PID', String(at.victim))

  beforeAll(async () => {
    at = await grounds()
  })
  afterAll(async () => await at.close())

  test.each(LEGAL)('is let do: %s', async (line) => {
    const { code, out } = await at.run(filled(line))
    expect({ code, out: code === 0 ? '' : out }).toEqual({ code: 0, out: '' })
  })

  test.each(ESCAPES)('gets nowhere by: %s', async (line) => {
    const before = at.outside()
    const { out } = await at.run(filled(line))
    expect(out).not.toContain(MARKER)
    expect(at.outside()).toEqual(before)
    expect(readFileSync(join(at.worktree, '.git'), 'utf8')).toMatch(/^gitdir: /)
    expect(readFileSync(join(at.worktree, 'neo.yaml'), 'utf8')).toBe('daemon: {}\n')
    expect(readFileSync(join(at.worktree, 'rooms/shop/ROOM.md'), 'utf8')).toBe('rules\n')
    expect([at.hits(), at.victimLives()]).toEqual([0, true])
  })

  test('reads and does not write what is lent', async () => {
    const lent = join(at.home, 'lent')
    const { out } = await at.run(`cat ${lent}/notes.txt; echo x > ${lent}/notes.txt`, { read: [lent] })
    expect(out).toContain('lent\n')
    expect(readFileSync(join(lent, 'notes.txt'), 'utf8')).toBe('lent\n')
  })

  test.runIf(existsSync('/dev/shm'))('writes into its folder where that is below /dev/shm', async () => {
    const folder = mkdtempSync('/dev/shm/neo-sandbox-')
    onTestFinished(() => rmSync(folder, { recursive: true }))
    await at.run(`ls -A /dev/shm > ${folder}/seen.txt`, { write: [folder] })
    expect(readFileSync(join(folder, 'seen.txt'), 'utf8')).toBe(`${basename(folder)}\n`)
  })

  test('reaches the network where it is allowed', async () => {
    const line = `node -e "require('net').connect(${at.port}, '127.0.0.1').on('data', (d) => console.log(String(d)))"`
    expect((await at.run(line, { network: 'allow' })).out).toContain(MARKER)
  })

  test('neither reads nor changes hidden paths in a writable folder', async () => {
    const kept = join(at.worktree, 'kept.txt')
    await at.run('echo kept > kept.txt')
    const { out } = await at.run('cat kept.txt; echo x > kept.txt; rm -f kept.txt; mv kept.txt y', {
      hide: [kept],
    })
    expect(out).not.toContain('kept\n')
    expect(readFileSync(kept, 'utf8')).toBe('kept\n')
  })

  test('gets no folder shown by a .git file that names it', async () => {
    const folder = join(at.worktree, 'trap')
    await at.run(`mkdir -p trap && echo "gitdir: ${at.home}/.ssh" > trap/.git`)
    const { out } = await at.run(`cat ${at.home}/.ssh/id_ed25519`, { write: [folder], cwd: folder })
    expect(out).not.toContain(MARKER)
  })
})
