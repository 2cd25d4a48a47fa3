/**
 * Ends the children of this process when it ends, even by SIGKILL: a small shell reads their process groups from a pipe
 * and kills those left when the pipe closes. An exit handler is not enough: Jest never runs those of a test file.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';

const SCRIPT = `
live=' '
while read -r change group; do
	case $change in
		watch) live="$live$group " ;;
		forget) live="\${live%% $group *} \${live#* $group }" ;;
	esac
done
for group in $live; do kill -s KILL -- "-$group" 2>/dev/null; done
`;

let watchdog: ChildProcess | undefined;

/** From now on the process group ends with this process. */
export function watch(group: number): void {
	tell(`watch ${group}`);
}

/** The process group has ended, and its number can be reused. */
export function forget(group: number): void {
	tell(`forget ${group}`);
}

function tell(line: string): void {
	watchdog ??= start();
	watchdog.stdin?.write(`${line}\n`);
}

function start(): ChildProcess {
	const shell = spawn('/bin/sh', ['-c', SCRIPT], {
		// In its own group, or a Ctrl-C in the terminal would end it before it has done its work.
		detached: true,
		stdio: ['pipe', 'ignore', 'ignore'],
	});
	shell.unref();
	if (shell.stdin instanceof Socket) shell.stdin.unref();
	return shell;
}
